package org.tributary.miniapps;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class ProgramsTest {
    private static final int FIELDS = 3;

    /** Name, class and help of every program in the resource that the launcher reads. */
    private static List<String[]> programs() throws IOException {
        try (InputStream in = ProgramsTest.class.getResourceAsStream("/META-INF/tributary/programs")) {
            List<String[]> programs = new ArrayList<>();
            for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n", -1)) {
                if (!line.isBlank()) {
                    String[] fields = line.split(" = |  # ", -1);
                    assertEquals(FIELDS, fields.length, line);
                    programs.add(fields);
                }
            }
            return programs;
        }
    }

    @Test
    void shouldNameProgramsThatCanBeStarted() throws Exception {
        List<String> names = new ArrayList<>();
        for (String[] program : programs()) {
            names.add(program[0]);
            assertNotNull(Class.forName(program[1]).getMethod("main", String[].class));
        }
        assertEquals(List.of("hello", "empty", "matmul", "jacobi", "fock", "random-access", "halo",
            "ghost-exchange", "multigrid", "lu"), names);
    }

    @Test
    void shouldHaveHelpUnderTheSameName() throws Exception {
        for (String[] program : programs()) {
            Class<?> type = Class.forName(program[1]);
            if (MiniApp.class.isAssignableFrom(type)) {
                CommandLine line = new CommandLine(type.getDeclaredConstructor().newInstance());
                assertEquals(program[0], line.getCommandName());
                assertTrue(line.getUsageMessage().contains("--help"), line.getUsageMessage());
            }
        }
    }
}
