package org.tributary.wire.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A word of a file that is truncated is an error that a program can handle, also while the JVM interprets. */
class TruncatedWordTest {
    private static final int BYTES = 8192;
    private static final long DEADLINE_S = 250;

    private static Map<String, Consumer<MemorySegment>> accesses() {
        Map<String, Consumer<MemorySegment>> all = new LinkedHashMap<>();
        all.put("load", memory -> SharedWord.getAcquire(memory, 64));
        all.put("store", memory -> SharedWord.setRelease(memory, 64, 1));
        all.put("compare-and-set", memory -> SharedWord.compareAndSet(memory, 64, 0, 1));
        all.put("compare-and-exchange", memory -> SharedWord.compareAndExchange(memory, 64, 0, 1));
        all.put("add", memory -> SharedWord.getAndAdd(memory, 64, 1));
        all.put("exchange", memory -> SharedWord.getAndSet(memory, 64, 1));
        all.put("load of a long", memory -> SharedWord.getLongAcquire(memory, 64));
        all.put("store of a long", memory -> SharedWord.setLongRelease(memory, 64, 1));
        all.put("compare-and-set of a long", memory -> SharedWord.compareAndSetLong(memory, 64, 0, 1));
        all.put("compare-and-exchange of a long", memory -> SharedWord.compareAndExchangeLong(memory, 64, 0, 1));
        all.put("addition to a long", memory -> SharedWord.getAndAddLong(memory, 64, 1));
        all.put("exchange of a long", memory -> SharedWord.getAndSetLong(memory, 64, 1));
        return all;
    }

    @ParameterizedTest
    @ValueSource(strings = {"-Xint", "-XX:TieredStopAtLevel=1"})
    void shouldThrowWhenTheFileOfAWordIsTruncated(String how) throws Exception {
        assertEndsWell(Program.class, how);
    }

    /** Runs a program in a JVM that compiles in such a way. */
    static void assertEndsWell(Class<?> program, String how) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(how.split(" ")));
        command.addAll(List.of("-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=/dev/null",
            "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"), program.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        if (!process.waitFor(DEADLINE_S, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
    }

    /** Makes every access to a file of its own. */
    static final class Program {
        private Program() {
        }

        public static void main(String[] arguments) throws IOException {
            accesses().forEach((name, access) -> {
                try {
                    access(name, access);
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
        }

        private static void access(String name, Consumer<MemorySegment> access) throws IOException {
            try {
                withTruncatedFile(access);
                throw new AssertionError(name + " has not failed");
            } catch (InternalError e) {
                System.out.println(name + ": " + e.getMessage());
            }
        }
    }

    /** Gives the mapped memory of a file that has been truncated. */
    static void withTruncatedFile(Consumer<MemorySegment> access) throws IOException {
        Path file = Files.createTempFile("tributary-truncated-", "");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
             Arena arena = Arena.ofConfined()) {
            channel.write(ByteBuffer.allocate(BYTES));
            MemorySegment memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, BYTES, arena);
            channel.truncate(0);
            access.accept(memory);
        } finally {
            Files.delete(file);
        }
    }
}
