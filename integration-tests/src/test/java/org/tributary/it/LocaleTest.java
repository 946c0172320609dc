package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.launcher.job.JavaCommand;

/** Names that are not ASCII, where the locale of the launcher or of a host is. */
class LocaleTest {
    /** The names are in a file: a JVM of these tests may have such a locale, too. */
    private static final String SCRIPT = """
        #!/bin/sh
        . '%s'
        cd 'prö g'
        start '%s' '%s' run --output plain "$@" --env 'FOO=ä' -- ./größe 'Grüße'
        """;
    private static final String PROGRAM = """
        #!/bin/sh
        echo "${PWD##*/} $0 $1 $FOO ${BAR-} LC_ALL=${LC_ALL-none} LANG=${LANG-none}"
        """;

    private final Place place = new Place();

    @BeforeEach
    void makeProgram() throws Exception {
        List<String> launcher = JavaCommand.launcher();
        assumeTrue(launcher.contains("-jar"), "tested before it is packaged");
        write("make", "mkdir 'prö g'\nmv program 'prö g/größe'\n");
        write("program", PROGRAM);
        write("tributary", SCRIPT.formatted(Path.of("../launcher/src/main/sh/start.sh").toRealPath(),
            System.getProperty("java.home"), Path.of(launcher.getLast()).getParent().getParent()));
        assertEquals(0, place.start(place.builder(List.of("sh", "make"))).exitCode());
    }

    @AfterEach
    void close() {
        place.close();
    }

    private void write(String name, String text) throws Exception {
        Files.writeString(place.work().resolve(name), text);
        Files.setPosixFilePermissions(place.work().resolve(name), PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Running run(String locale, String... options) {
        List<String> command = new ArrayList<>(List.of("env", "-u", "LC_ALL", "-u", "LC_CTYPE", "-u", "LANG"));
        command.addAll(List.of(locale.split(" ")));
        command.addAll(List.of("sh", "./tributary"));
        command.addAll(List.of(options));
        return place.start(place.builder(command));
    }

    /** The last one is not installed anywhere. */
    @ParameterizedTest
    @ValueSource(strings = {"LC_ALL=C", "LANG=C", "LANG=POSIX", "LC_ALL=xx_YY.UTF-8"})
    void shouldGiveARankNamesAndLocaleAsTheyAreWhenTheLocaleIsAscii(String locale) throws Exception {
        Running job = run(locale);
        assertEquals(0, job.exitCode(), job::toString);
        assertEquals("prö g ./größe Grüße ä  " + said(locale), job.out().getFirst(), job::toString);
        place.assertNothingLeft();
    }

    @ParameterizedTest
    @ValueSource(strings = {"LC_ALL=C", "LANG=C.UTF-8"})
    void shouldGiveARankNamesAndLocaleAsTheyAreWhenThatOfItsHostIsAscii(String locale) throws Exception {
        Running job = run(locale + " BAR=ö", "--hosts", "127.0.0.9", "--launch-agent", "env LC_ALL=C HX={host}");
        assertEquals(0, job.exitCode(), job::toString);
        assertEquals("prö g ./größe Grüße ä ö " + said(locale), job.out().getFirst(), job::toString);
        place.assertNothingLeft();
    }

    private static String said(String locale) {
        return locale.startsWith("LANG=") ? "LC_ALL=none " + locale : locale + " LANG=none";
    }
}
