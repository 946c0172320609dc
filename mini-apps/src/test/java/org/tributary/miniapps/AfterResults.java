package org.tributary.miniapps;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.tributary.client.Gas;

/** Reports of a program that sees whether a file was there when rank 0 told the result. */
public final class AfterResults {
    private final Path file;
    private volatile boolean isFirst;

    public AfterResults(Path file) {
        this.file = file;
    }

    /** Where a rank's results go to. */
    public Report report(Gas gas) {
        return new Report(new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8) {
            @Override
            public void println(String line) {
                if (line.startsWith("verification: ")) {
                    isFirst = Files.notExists(file);
                }
            }
        }, gas.rank() == 0);
    }

    /** Whether the result came, and the file was not there. */
    public boolean isFirst() {
        return isFirst;
    }
}
