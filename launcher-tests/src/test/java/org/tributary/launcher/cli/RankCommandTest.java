package org.tributary.launcher.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.tributary.launcher.job.Libraries;

class RankCommandTest {
    private static final String CLASSES = "target/test-classes";
    private static final String MAIN = RankCommandTest.class.getName();

    private static String classPath(String userClassPath, String program, boolean hasAdapter) {
        List<String> command = new RankCommand(userClassPath, List.of(), hasAdapter).java(Programs.load(Programs.RUN),
            List.of(program));
        return command.get(command.indexOf("-cp") + 1);
    }

    @Test
    void shouldHaveTheUsersClassesLastWhenThereIsNoAdapter() {
        assertEquals(Libraries.RANK.jars() + ":" + CLASSES, classPath(CLASSES, MAIN, false));
        assertEquals(Libraries.PROGRAM.jars(), classPath("", "jacobi", false));
    }

    @Test
    void shouldHaveLibrariesOfTheAdapterBehindTheUsersWhenThereIsOne() {
        assertEquals(Libraries.RANK.jars() + ":" + CLASSES + ":" + Libraries.ADAPTER.jars(),
            classPath(CLASSES, MAIN, true));
        assertEquals(Libraries.PROGRAM.jars() + ":" + Libraries.ADAPTER.jars(), classPath("", "jacobi", true));
    }
}
