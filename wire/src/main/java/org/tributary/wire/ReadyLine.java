package org.tributary.wire;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The line of its output by which a server tells who has started it that it listens. It is the first that begins so.
 *
 * <pre>
 *   tributary server ready: node 0, address HOST:PORT, pid 17
 * </pre>
 *
 * @param node    of the server
 * @param address at which others reach it, as {@link ServerAddress} reads it
 */
public record ReadyLine(int node, String address) {
    private static final String BEGIN = "tributary server ready: node ";
    private static final String ADDRESS = ", address ";
    private static final String PID = ", pid ";
    private static final Pattern FORM = Pattern.compile(BEGIN + "([0-9]+)" + ADDRESS + "([^,\\s]+)" + PID + ".*");

    /** The line as a server with that process id writes it. */
    public String text(long pid) {
        return BEGIN + node + ADDRESS + address + PID + pid;
    }

    /** What the line says; null when it is another one. More may follow the process id. */
    public static ReadyLine parse(String line) {
        Matcher found = FORM.matcher(line);
        return found.matches() ? new ReadyLine(Integer.parseInt(found.group(1)), found.group(2)) : null;
    }
}
