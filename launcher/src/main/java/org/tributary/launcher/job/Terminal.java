package org.tributary.launcher.job;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** Whether somebody sits at a stream of this process. */
public final class Terminal {
    private static final Path NOTHING = Path.of("/dev/null");

    private Terminal() {
    }

    /** Whether a descriptor is open on a terminal. */
    @SuppressWarnings("restricted") // the launcher runs with native access enabled
    public static boolean is(int descriptor) {
        if (!isDevice(Path.of("/proc/self/fd/" + descriptor))) {
            return false;
        }
        Linker linker = Linker.nativeLinker();
        MethodHandle isatty = linker.downcallHandle(linker.defaultLookup().findOrThrow("isatty"),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        try {
            return (int) isatty.invokeExact(descriptor) == 1;
        } catch (Throwable t) {
            throw new IllegalStateException("isatty", t);
        }
    }

    /** Asked first, for calling C takes longer. Names of pipes and sockets are not absolute. */
    private static boolean isDevice(Path descriptor) {
        try {
            Path file = Files.readSymbolicLink(descriptor);
            return file.isAbsolute() && !file.equals(NOTHING)
                && Files.readAttributes(descriptor, BasicFileAttributes.class).isOther();
        } catch (IOException e) {
            return false;
        }
    }
}
