package org.tributary.globalarrays.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.client.testing.TestJob;
import org.tributary.config.Topology;

/** Files that all ranks write. */
class NewFileTest {
    @TempDir
    private Path folder;

    /** The rank that runs out of memory throws that; the others hear of it instead of waiting. */
    @Test
    void shouldFailOnAllRanksWhenOneRunsOutOfMemory() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "former");
        try (TestJob job = TestJob.start(Topology.uniform(2, 2))) {
            job.run(gas -> {
                Runnable write = () -> NewFile.write(gas.world(), file, 8, open -> {
                    if (gas.rank() == 2) {
                        throw new OutOfMemoryError("heap");
                    }
                });
                if (gas.rank() == 2) {
                    assertThrows(OutOfMemoryError.class, write::run);
                } else {
                    assertEquals("java.lang.OutOfMemoryError: heap (rank 2)",
                        assertThrows(ArrayFileException.class, write::run).getMessage());
                }
                gas.barrier();
                assertArrayEquals(new String[] {"file"}, folder.toFile().list());
                assertEquals("former", Files.readString(file));
                gas.barrier();
                NewFile.write(gas.world(), file, 8, open -> {
                    assertEquals(8, open.size());
                    if (gas.rank() == 3) {
                        open.write(ByteBuffer.wrap(new byte[] {7}), 2);
                    }
                });
                assertArrayEquals(new byte[] {0, 0, 7, 0, 0, 0, 0, 0}, Files.readAllBytes(file));
            });
        }
    }

    /** Neither more people than before can read it, nor fewer write it. */
    @ParameterizedTest
    @ValueSource(strings = {"rw-------", "rw-rw----", "r--------", "rwxrwxrwx"})
    void shouldHaveThePermissionsOfTheFileThatItReplaces(String permissions) throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "former");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
        try (TestJob job = TestJob.start(Topology.uniform(2, 1))) {
            job.run(gas -> NewFile.write(gas.world(), file, 8, open -> {
                if (gas.rank() == 1) {
                    assertEquals("rw-------", PosixFilePermissions.toString(permissionsOf(open.path())));
                }
            }));
        }
        assertEquals(8, Files.size(file));
        assertEquals(permissions, PosixFilePermissions.toString(permissionsOf(file)));
    }

    private static Set<PosixFilePermission> permissionsOf(Path file) {
        try {
            return Files.getPosixFilePermissions(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldHaveTheGroupOfTheFileThatItReplaces() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "former");
        assumeTrue(Files.getOwner(file).getName().equals("root"), "only root can give a file to any group");
        Files.setAttribute(file, "unix:gid", 1234);
        try (TestJob job = TestJob.start(Topology.uniform(1, 1))) {
            job.run(gas -> NewFile.write(gas.world(), file, 8, open -> { }));
        }
        assertEquals(8, Files.size(file));
        assertEquals(1234, Files.getAttribute(file, "unix:gid"));
    }
}
