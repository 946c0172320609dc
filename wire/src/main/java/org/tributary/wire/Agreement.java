package org.tributary.wire;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.tributary.config.Settings;
import org.tributary.config.Topology;

/**
 * The items that must be equal in all processes of a job: the release, the layout of ranks on nodes, the settings that
 * are marked so in the table of options, and the network adapter, where the process has to do with one. The connecting
 * side sends them with its proof; the server compares each item with its own and names those that differ. Immutable.
 *
 * <p>The text has a line {@code name=value} for each item, in no particular order. A value of more than
 * {@value #MAX_VALUE_BYTES} bytes, or with a character that is not printable ASCII, is replaced by its digest.
 */
public final class Agreement {
    /** Longest text, in bytes: what a text in a message can have. */
    public static final int MAX_BYTES = 1024;
    /** Longest value that is told as it is. */
    public static final int MAX_VALUE_BYTES = 48;
    private static final String RELEASE = "release";
    private static final String LAYOUT = "layout";
    private static final String ADAPTER = "the adapter of network.fabric";

    private final Map<String, String> items;
    private final byte[] text;

    Agreement(Map<String, String> items) {
        StringBuilder lines = new StringBuilder();
        Map<String, String> shortened = new LinkedHashMap<>();
        items.forEach((name, value) -> {
            shortened.put(name, shortened(value));
            lines.append(name).append('=').append(shortened.get(name)).append('\n');
        });
        this.items = Collections.unmodifiableMap(shortened);
        this.text = lines.toString().getBytes(StandardCharsets.UTF_8);
        if (text.length > MAX_BYTES) {
            throw new IllegalArgumentException("what a job agrees on takes " + text.length + " bytes, at most "
                + MAX_BYTES + " fit into a message");
        }
    }

    /** The release of this process, as processes compare it: version and digest of the message schema. */
    public static String release() {
        return Release.text();
    }

    /** That of a job with these settings. */
    public static Agreement of(Settings settings, Topology topology) {
        Map<String, String> items = new LinkedHashMap<>();
        items.put(RELEASE, release());
        items.put(LAYOUT, topology.toString());
        items.putAll(settings.shared());
        return new Agreement(items);
    }

    /** The same, and which network adapter moves data: not said by processes of which none does, such as ranks in C. */
    Agreement withAdapter(String adapter) {
        Map<String, String> more = new LinkedHashMap<>(items);
        more.put(ADAPTER, adapter);
        return new Agreement(more);
    }

    private static String shortened(String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        boolean printable = value.chars().allMatch(c -> c >= ' ' && c <= '~');
        return printable && bytes.length <= MAX_VALUE_BYTES ? value
            : "(" + bytes.length + " bytes, SHA-256 " + Release.digest(bytes) + ")";
    }

    /** As it is sent. */
    byte[] text() {
        return text.clone();
    }

    /** As it is sent. */
    @Override
    public String toString() {
        return new String(text, StandardCharsets.UTF_8);
    }

    /**
     * Items that differ, with both values.
     *
     * @param theirs the other side's text
     * @param who    the other side, in words
     * @param self   this side, in words
     * @return an empty text when nothing does
     */
    String differences(String theirs, String who, String self) {
        Map<String, String> others = new LinkedHashMap<>();
        theirs.lines().forEach(line -> {
            int equals = Math.max(0, line.indexOf('='));
            others.put(line.substring(0, equals), line.substring(Math.min(line.length(), equals + 1)));
        });
        TreeSet<String> names = new TreeSet<>(items.keySet());
        names.addAll(others.keySet());
        if (!items.containsKey(ADAPTER) || !others.containsKey(ADAPTER)) {
            names.remove(ADAPTER);
        }
        List<String> found = new ArrayList<>();
        for (String name : names) {
            String own = items.getOrDefault(name, "unknown");
            String other = others.getOrDefault(name, "unknown");
            if (!own.equals(other)) {
                found.add(name + " is " + own + " at " + self + " and " + other + " at " + who
                    + (name.equals(ADAPTER) ? " (name one that all nodes have, or none)" : ""));
            }
        }
        return String.join("; ", found);
    }
}
