package org.tributary.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The messages are those of the JDK, of Netty and of the C library. */
class ShortageTest {
    @Test
    void shouldSayOneLineWithAdviceWhenAProcessCannotBeStarted() {
        assertEquals("Cannot run program \"java\": posix_spawn failed, error: 11 (Resource temporarily unavailable);"
            + " raise the number of processes and threads (ulimit -u, and pids.max of the control group), or start"
            + " fewer ranks", Shortage.describe(new IOException("Cannot run program \"java\": posix_spawn failed,"
            + " error: 11 (Resource temporarily unavailable) \nPossible reasons:\n  - Spawn helper ran into ...")));
    }

    @Test
    void shouldFindWhatHasRunOutWhenItIsTheCauseOfTheCause() {
        assertEquals(Shortage.FILES, Shortage.of(new UncheckedIOException("jar", new IOException("a.jar",
            new IOException("Too many open files")))));
        assertEquals(Shortage.SPACE, Shortage.of(new IOException("bind(..) failed with error(-28): No space")));
        assertEquals(Shortage.PROCESSES, Shortage.of(new OutOfMemoryError("unable to create native thread: possibly")));
        assertEquals(Shortage.MEMORY, Shortage.of(new OutOfMemoryError("Java heap space")));
    }

    static Stream<Arguments> ofFiles() {
        return Stream.of(
            Arguments.of(new NoSuchFileException("/a"), "no such file or folder"),
            Arguments.of(new AccessDeniedException("/a"), "permission denied"),
            Arguments.of(new FileAlreadyExistsException("/a"), "it exists already"),
            Arguments.of(new NotDirectoryException("/a"), "it is no folder"),
            Arguments.of(new DirectoryNotEmptyException("/a"), "it is not empty"),
            Arguments.of(new FileSystemException("/a", null, "Read-only file system"), "Read-only file system"));
    }

    @ParameterizedTest
    @MethodSource("ofFiles")
    void shouldSayWhatIsWrongWithAFileWhenTheMessageIsItsName(FileSystemException failure, String problem) {
        assertEquals("/a: " + problem, Shortage.describe(failure));
        assertEquals(problem, Shortage.describe(failure, Path.of("/a")));
        assertEquals("/a: " + problem, Shortage.describe(failure, Path.of("/b")));
    }

    @Test
    void shouldGiveNoAdviceWhenNothingHasRunOut() {
        assertNull(Shortage.of(new IOException("no such file")));
        assertEquals("no such file", Shortage.describe(new IOException("no such file")));
        assertEquals("java.lang.IllegalStateException", Shortage.describe(new IllegalStateException()));
    }
}
