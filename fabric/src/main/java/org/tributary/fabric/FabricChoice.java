package org.tributary.fabric;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which provider a job takes: by name, {@code none}, or {@code auto}: an adapter that moves data without the target's
 * process, else none: libfabric's tcp needs it as our own does.
 *
 * @param provider the provider, if there is to be one
 * @param reason   why this one, or none, in one line
 */
public record FabricChoice(Optional<Provider> provider, String reason) {
    private static final String AUTO = "auto";
    private static final String NONE = "none";
    /** Where Linux lists adapters that move data themselves; Amazon's is with the first. */
    private static final List<Path> ADAPTERS = List.of(Path.of("/sys/class/infiniband"), Path.of("/sys/class/cxi"));

    /** Values of {@code network.fabric}: auto, none, and the names of providers. */
    public static List<String> values() {
        return Stream.concat(Stream.of(AUTO, NONE),
            Arrays.stream(FabricKind.values()).map(FabricKind::toString)).toList();
    }

    /**
     * Chooses among the providers of this machine.
     *
     * @param wanted one of {@link #values()}
     * @param host   the address of the interface to use, or null; providers without IP addresses ignore it
     * @throws IllegalArgumentException when {@code wanted} is none of these
     * @throws FabricException          when the provider is not there, or lacks something; the message lists those that
     *                                  are there and what each lacks
     */
    public static FabricChoice choose(String wanted, String host) {
        return switch (wanted) {
            case NONE -> new FabricChoice(Optional.empty(), "none is wanted");
            case AUTO -> automatic(ADAPTERS, host);
            default -> named(Fabric.load(), kind(wanted), host);
        };
    }

    /** Identity of the choice, which all processes of a job must have in common: the provider, or none. */
    public static String identity(Optional<Provider> provider, String machine) {
        return provider.map(found -> found.identity(machine)).orElse(NONE);
    }

    private static FabricKind kind(String wanted) {
        if (!values().contains(wanted)) {
            throw new IllegalArgumentException("'" + wanted + "' is none of " + String.join(", ", values()));
        }
        return FabricKind.valueOf(wanted.toUpperCase(Locale.ROOT));
    }

    /** Loads nothing where the kernel knows of no adapter. */
    static FabricChoice automatic(List<Path> adapters, String host) {
        if (adapters.stream().noneMatch(FabricChoice::hasEntries)) {
            return new FabricChoice(Optional.empty(), "no adapter moves data without the target's process ("
                + adapters.stream().map(Path::toString).collect(Collectors.joining(" and ")) + " list none)");
        }
        Fabric fabric = Fabric.load();
        return automatic(fabric.providers(), kind -> host == null ? List.of() : fabric.providers(kind, host),
            fabric.toString());
    }

    private static boolean hasEntries(Path folder) {
        String[] entries = folder.toFile().list();
        return entries != null && entries.length > 0;
    }

    /** The first kind that will do: at the interface that is wanted, or at any if it is not there. */
    static FabricChoice automatic(List<Provider> providers, Function<FabricKind, List<Provider>> atHost,
        String where) {
        Optional<Provider> chosen = usable(providers.stream().filter(Provider::offloads))
            .map(first -> usable(FabricKind.of(first.name()).stream().map(atHost).flatMap(List::stream)).orElse(first));
        return new FabricChoice(chosen, chosen.map(each -> each + " moves data without the target's process")
            .orElse("no adapter moves data without the target's process (" + where + ")"));
    }

    private static Optional<Provider> usable(Stream<Provider> providers) {
        return providers.filter(each -> each.lacks().isEmpty()).findFirst();
    }

    private static FabricChoice named(Fabric fabric, FabricKind kind, String host) {
        if (!fabric.isPresent()) {
            throw new FabricException(kind + " cannot be used: " + fabric, 0);
        }
        return named(kind, fabric.providers(kind, host), fabric.providers(), host);
    }

    static FabricChoice named(FabricKind kind, List<Provider> found, List<Provider> all, String host) {
        Optional<Provider> chosen = usable(found.stream());
        if (chosen.isEmpty()) {
            throw new FabricException(kind + " cannot be used: "
                + (found.isEmpty() ? whyNone(kind, all, host) : list(found))
                + ". There are: " + (all.isEmpty() ? "none" : list(all)), 0);
        }
        return new FabricChoice(chosen, chosen.get() + " is wanted");
    }

    private static String whyNone(FabricKind kind, List<Provider> all, String host) {
        String domains = all.stream().filter(each -> each.name().equals(kind.provider())).map(Provider::domain)
            .collect(Collectors.joining(", "));
        return domains.isEmpty() ? "libfabric has no provider " + kind.provider() + " here"
            : "it is on " + domains + ", and not on the interface of " + host
                + ": set server.bind-address or server.interface to one that it is on";
    }

    private static String list(List<Provider> providers) {
        return providers.stream().map(Provider::describe).collect(Collectors.joining("; "));
    }
}
