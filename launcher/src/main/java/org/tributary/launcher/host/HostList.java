package org.tributary.launcher.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.tributary.config.ConfigException;
import org.tributary.config.Shortage;

/**
 * Hosts as a user or a batch system has written them down.
 *
 * @param hosts    those that have names; if there are problems, their ranks need not be what was meant
 * @param problems of the text, each once
 * @param hasAll   whether no host is left out for want of a name
 */
public record HostList(List<Host> hosts, List<String> problems, boolean hasAll) {
    /** Whose its problems are, in a report of those of all hosts. */
    public static final String SUBJECT = "the list of hosts";

    /** For words of MPICH that mean something else than a host, its user and its ranks. */
    private static final Map<String, String> INSTEAD = Map.of("ifname", "; instead, --set server.interface=NAME is for"
        + " all hosts", "binding", "; instead, --bind core or --bind numa is for all hosts", "bindto", "; instead,"
        + " --bind core or --bind numa is for all hosts");

    public HostList {
        hosts = List.copyOf(hosts);
        problems = List.copyOf(problems);
    }

    /** {@code a:4,b:4}, {@code me@a,[fe80::1]:2}: names with or without numbers of ranks. */
    public static HostList parse(String text) {
        Map<String, Integer> slots = new LinkedHashMap<>();
        Set<String> problems = new LinkedHashSet<>();
        boolean hasAll = true;
        for (String item : text.split(",", -1)) {
            Optional<Host> host = Optional.empty();
            if (item.isBlank()) {
                problems.add("--hosts: a name is missing in '" + text + "'");
            } else {
                host = host(item.strip(), "--hosts", problems);
            }
            if (host.isPresent() && slots.put(host.get().name(), host.get().slots()) != null) {
                problems.add("--hosts: " + host.get().name() + " is named twice");
            }
            hasAll &= host.isPresent();
        }
        return of(slots, problems, hasAll);
    }

    /**
     * A file with a host a line: Open MPI's ({@code name slots=4}, with its other words for that), MPICH's
     * ({@code name:4}), or names alone, as often as a host may have ranks; one that is there once, without a number,
     * says nothing about that. {@code user=me} is {@code me@name}. {@code #} begins a comment.
     *
     * @throws ConfigException when the file cannot be read, or has nothing
     */
    public static HostList file(Path file) {
        Map<String, Integer> slots = new LinkedHashMap<>();
        Set<String> problems = new LinkedHashSet<>();
        boolean hasAll = true;
        try {
            List<String> lines = Files.readAllLines(file);
            for (int i = 0; i < lines.size(); i++) {
                String line = lines.get(i).replaceFirst("#.*", "").strip();
                if (!line.isEmpty()) {
                    Optional<Host> found = line(line, file + ":" + (i + 1), problems);
                    found.ifPresent(host -> slots.merge(host.name(), host.slots(),
                        (some, more) -> Math.max(1, some) + Math.max(1, more)));
                    hasAll &= found.isPresent();
                }
            }
        } catch (IOException e) {
            throw new ConfigException("cannot read the file of hosts " + file + ": " + Shortage.describe(e, file));
        }
        if (slots.isEmpty() && problems.isEmpty()) {
            throw new ConfigException("the file of hosts " + file + " names none");
        }
        return of(slots, problems, hasAll);
    }

    private static HostList of(Map<String, Integer> slots, Set<String> problems, boolean hasAll) {
        return new HostList(slots.entrySet().stream().map(entry -> new Host(entry.getKey(), entry.getValue()))
            .toList(), List.copyOf(problems), hasAll);
    }

    /** The hosts; a {@link ConfigException} with all problems when there are any. */
    public List<Host> orThrow() {
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
        return hosts;
    }

    /** Each word is looked at, also behind one that makes no sense; a host without a name is none. */
    private static Optional<Host> line(String line, String where, Set<String> problems) {
        String[] words = line.replaceAll("\\s*=\\s*", "=").split("\\s+");
        Optional<Host> named = host(words[0], where, problems);
        String name = named.map(Host::name).orElse("");
        int slots = named.map(Host::slots).orElse(0);
        int most = Integer.MAX_VALUE;
        for (int i = 1; i < words.length; i++) {
            String[] word = words[i].split("=", 2);
            String value = word.length == 2 ? word[1] : "";
            switch (word[0]) {
                case "slots", "count", "cpu", "cpus" -> slots = number(value, where, problems);
                case "max-slots", "max_slots", "slots-max", "slots_max", "maxprocs" -> {
                    int number = number(value, where, problems);
                    most = number == 0 ? most : number;
                }
                case "user", "username", "user-name", "user_name" -> name = name.isEmpty() ? ""
                    : name(value + "@" + Host.withoutUser(name), where, problems).orElse("");
                default -> problems.add(where + ": '" + words[i] + "' is not known"
                    + INSTEAD.getOrDefault(word[0], "; a line is 'name slots=4' or 'name:4'"));
            }
        }
        if (name.isEmpty()) {
            return Optional.empty();
        }
        if (slots == 0 && most < Integer.MAX_VALUE) {
            return Optional.of(new Host(name, 1)); // more would have to be said
        }
        if (slots > most) {
            problems.add(where + ": " + name + " has " + slots + " slots, and at most " + most);
        }
        return Optional.of(new Host(name, slots));
    }

    private static Optional<Host> host(String text, String where, Set<String> problems) {
        int colon = text.lastIndexOf(':');
        boolean hasSlots = colon > text.lastIndexOf(']') && (text.contains("]") || text.indexOf(':') == colon);
        String name = hasSlots ? text.substring(0, colon) : text;
        int slots = hasSlots ? number(text.substring(colon + 1), where, problems) : 0;
        return name(name.replaceAll("[\\[\\]]", ""), where, problems).map(valid -> new Host(valid, slots));
    }

    private static Optional<String> name(String name, String where, Set<String> problems) {
        if (!name.matches("[A-Za-z0-9_.@:%-]+") || name.startsWith("-") || name.startsWith("@")) {
            problems.add(where + ": '" + name + "' is no name of a host");
            return Optional.empty();
        }
        return Optional.of(name);
    }

    /** From 1 on; 0 is none, and then a problem. */
    private static int number(String digits, String where, Set<String> problems) {
        try {
            return number(digits, where);
        } catch (ConfigException e) {
            problems.addAll(e.problems());
            return 0;
        }
    }

    static int number(String digits, String where) {
        try {
            int number = Integer.parseInt(digits);
            if (number > 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new ConfigException(where + ": '" + digits + "' is no number of ranks");
    }
}
