package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Programs of the documents: they compile as they stand there, and print what stands below them. */
class DocumentedProgramsTest {
    private static final Pattern PROGRAM = Pattern.compile("```java\n(.*?)```\n(.*?)(?=```java\n|\\z)", Pattern.DOTALL);
    private static final Pattern CLASS = Pattern.compile("public final class (\\w+) ");
    private static final Pattern OUTPUT = Pattern.compile("(?m)^    (\\[\\d+\\] .*)$");

    private final Place place = new Place();

    @AfterEach
    void close() {
        place.close();
    }

    @TestFactory
    List<DynamicTest> shouldPrintWhatTheDocumentSays() throws Exception {
        List<DynamicTest> tests = new ArrayList<>();
        for (String document : List.of("README.md", "docs/guide.md")) {
            Matcher programs = PROGRAM.matcher(Files.readString(Path.of("..", document)));
            while (programs.find()) {
                Matcher name = CLASS.matcher(programs.group(1));
                if (name.find()) {
                    String source = programs.group(1);
                    List<String> output = OUTPUT.matcher(programs.group(2)).results().map(line -> line.group(1))
                        .sorted().toList();
                    String main = name.group(1);
                    tests.add(DynamicTest.dynamicTest(document + ": " + main, () -> check(main, source, output)));
                }
            }
        }
        assertFalse(tests.isEmpty());
        return tests;
    }

    private void check(String main, String source, List<String> output) throws Exception {
        Path file = Files.writeString(place.work().resolve(main + ".java"), source);
        Path classes = Files.createDirectories(place.work().resolve("classes"));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        assertEquals(0, compiler.run(null, null, null, "-proc:none", "-cp", System.getProperty("java.class.path"), "-d",
            classes.toString(), file.toString()));
        Running job = place.tributary("run", "--nodes", "2", "--ranks-per-node", "2", "--class-path",
            classes.toString(), main);
        assertEquals(0, job.exitCode(), job::toString);
        assertEquals(output, job.out().stream().sorted().toList(), job::toString);
        place.assertNothingLeft();
    }
}
