package org.tributary.launcher.status;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The programs that show stacks of programs in C, in the order in which they are looked for on the {@code PATH}. */
public enum Debugger {
    GDB("gdb", "gdb"),
    EU_STACK("eu-stack", "elfutils");

    private final String program;
    private final String packageName;

    Debugger(String program, String packageName) {
        this.program = program;
        this.packageName = packageName;
    }

    public String program() {
        return program;
    }

    /** What to install, by the names of Debian: {@code gdb, or elfutils for eu-stack}. */
    public static String packages() {
        return Arrays.stream(values()).map(each -> each.packageName.equals(each.program) ? each.packageName
            : each.packageName + " for " + each.program).collect(Collectors.joining(", or "));
    }

    /** The command that prints the stacks of all threads of a process, each of so many frames at most. */
    List<String> command(long pid, int mostFrames) {
        String process = Long.toString(pid);
        String frames = Integer.toString(mostFrames);
        return switch (this) {
            case GDB -> List.of(program, "-nx", "-batch", "-iex", "set debuginfod enabled off", "-ex",
                "set pagination off", "-ex", "thread apply all backtrace " + frames, "-p", process);
            case EU_STACK -> List.of(program, "-n", frames, "-p", process);
        };
    }
}
