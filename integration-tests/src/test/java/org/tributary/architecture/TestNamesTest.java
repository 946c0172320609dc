package org.tributary.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The build runs classes whose names end with Test; another one with tests would be green because it never runs. */
class TestNamesTest {
    private static final Pattern TEST = Pattern.compile(
        "^ +@(Test|Property|ParameterizedTest|TestFactory|RepeatedTest)\\b", Pattern.MULTILINE);

    /** Those of tests. */
    static Stream<Path> sources(Path module) {
        return Stream.of(module.resolve("src/test/java")).filter(Files::isDirectory).flatMap(TestNamesTest::below);
    }

    private static Stream<Path> below(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean hasTests(Path file) {
        try {
            return TEST.matcher(Files.readString(file)).find();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldRunEveryTestWhenItsClassIsNamedSo() throws IOException {
        List<Path> tests;
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            tests = modules.flatMap(TestNamesTest::sources).filter(TestNamesTest::hasTests).toList();
        }
        assertTrue(tests.size() > 100, tests::toString);
        assertEquals(List.of(), tests.stream().filter(file -> !file.toString().endsWith("Test.java")).toList());
    }
}
