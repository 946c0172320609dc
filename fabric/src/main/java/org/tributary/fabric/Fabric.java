package org.tributary.fabric;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import jnr.ffi.LibraryLoader;

/** libfabric, as far as it is here. Thread-safe. */
public final class Fabric {
    private static final String LIBRARY = "native/libtributary-fabric.so";

    private final Shim shim;
    private final String absence;

    private Fabric(Shim shim, String absence) {
        this.shim = shim;
        this.absence = absence;
    }

    /** Loads it at the first call; all calls return the same. It never fails: see {@link #isPresent()}. */
    public static Fabric load() {
        return Loaded.FABRIC;
    }

    /** The library of the process. */
    private static final class Loaded {
        private static final Fabric FABRIC = tryToLoad();
    }

    private static Fabric tryToLoad() {
        try {
            return new Fabric(loadShim(), null);
        } catch (NoClassDefFoundError e) {
            return new Fabric(null, "the class path lacks the libraries that call it (" + e.getMessage()
                + "): add the output of 'tributary class-path --adapter' to its end");
        } catch (IOException | LinkageError | RuntimeException e) {
            return new Fabric(null, String.valueOf(e.getMessage()).lines().findFirst().orElse(e.toString()));
        }
    }

    /** The library is a file beside the classes, or an entry of a jar, which is copied for as long as loading takes. */
    private static Shim loadShim() throws IOException {
        try (InputStream bytes = Fabric.class.getResourceAsStream(LIBRARY)) {
            if (bytes == null) {
                throw new IOException("this build has no shim over libfabric: " + whySkipped());
            }
            Path copy = Files.createTempFile("tributary-fabric-", ".so");
            KeptSignals signals = new KeptSignals();
            try {
                Files.copy(bytes, copy, StandardCopyOption.REPLACE_EXISTING);
                Shim shim = LibraryLoader.create(Shim.class).failImmediately().load(copy.toString());
                if (shim.tf_cache_no_regions() < 0) { // a segment that is freed must be out of reach
                    throw new IOException("no memory for a variable of the environment");
                }
                return shim;
            } finally {
                signals.restore();
                Files.delete(copy);
            }
        }
    }

    private static String whySkipped() throws IOException {
        try (InputStream reason = Fabric.class.getResourceAsStream("native/skipped")) {
            return reason == null ? LIBRARY + " is missing"
                : new String(reason.readAllBytes(), StandardCharsets.UTF_8).strip();
        }
    }

    /** Whether libfabric is here. Without it there are no providers. */
    public boolean isPresent() {
        return shim != null;
    }

    /** Why it is not here; null when it is. */
    public String absence() {
        return absence;
    }

    /** Its version, such as 1.17; null without it. */
    public String version() {
        return shim == null ? null : (shim.tf_version() >>> 16) + "." + (shim.tf_version() & 0xffff);
    }

    /**
     * The functions themselves.
     *
     * @throws IllegalStateException without libfabric
     */
    Shim shim() {
        if (shim == null) {
            throw new IllegalStateException("there is no libfabric: " + absence);
        }
        return shim;
    }

    /**
     * The providers that this machine has, each provider and domain once, those that are preferred first; none without
     * libfabric.
     */
    public List<Provider> providers() {
        return shim == null ? List.of() : find(null, null);
    }

    /**
     * A provider on each domain that has it; may be empty.
     *
     * @param host the address of the interface, or null for any; only tcp and verbs know interfaces by such addresses
     */
    public List<Provider> providers(FabricKind kind, String host) {
        return shim == null ? List.of() : find(kind.provider(), host);
    }

    private List<Provider> find(String name, String host) {
        List<Provider> entries = new ArrayList<>();
        visit(name, host, info -> {
            entries.add(provider(info, host));
            return false;
        });
        return merge(entries);
    }

    /** Each provider and domain once: of several entries (psm3), the first of those that lack least. */
    static List<Provider> merge(List<Provider> entries) {
        Map<String, Provider> found = new LinkedHashMap<>();
        entries.forEach(each -> found.merge(each.name() + " " + each.domain(), each, Fabric::better));
        return new ArrayList<>(found.values());
    }

    private static Provider better(Provider first, Provider second) {
        int more = first.lacks().size() - second.lacks().size();
        return more > 0 || more == 0 && !first.carriesData() && second.carriesData() ? second : first;
    }

    /** Reads an entry of the shim's list. */
    Provider provider(long info, String host) {
        String name = read((text, size) -> shim.tf_info_text(info, Shim.PROVIDER, text, size));
        return new Provider(name, read((text, size) -> shim.tf_info_text(info, Shim.DOMAIN, text, size)), host,
            number(info, Shim.REMOTE_MEMORY) == 1, number(info, Shim.INJECT_BYTES), number(info, Shim.MESSAGE_BYTES),
            number(info, Shim.DATA_BYTES), (int) number(info, Shim.OPERATIONS), number(info, Shim.ORDERS_WRITES) == 1,
            number(info, Shim.ORDERS_BYTES) == 1 || FabricKind.of(name).map(FabricKind::copiesInOrder).orElse(false),
            number(info, Shim.AUTOMATIC) == 1, number(info, Shim.ORDERS_READS) == 1,
            (int) number(info, Shim.KEY_BYTES));
    }

    private long number(long info, int which) {
        return shim.tf_info_number(info, which);
    }

    /** Looks at one entry of the list; true ends it. */
    interface Visitor {
        boolean visit(long info);
    }

    /** Shows what there is until the visitor has seen enough. The entries are gone afterwards. */
    void visit(String name, String host, Visitor visitor) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment cell = arena.allocate(ValueLayout.JAVA_LONG);
            long result = shim().tf_find(text(arena, name), text(arena, host), cell.address());
            if (result == Shim.NO_DATA) {
                return;
            }
            check(result, "looking for providers");
            long list = cell.get(ValueLayout.JAVA_LONG, 0);
            try {
                long info = list;
                while (info != 0 && !visitor.visit(info)) {
                    info = shim.tf_next(info);
                }
            } finally {
                shim.tf_free(list);
            }
        }
    }

    private static long text(Arena arena, String text) {
        return text == null ? 0 : arena.allocateFrom(text).address();
    }

    /** A function that stores a handle. */
    interface Maker {
        long make(long cell);
    }

    /** The handle of what such a function makes; {@code call} says what that is. */
    long make(String call, Maker maker) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment cell = arena.allocate(ValueLayout.JAVA_LONG);
            check(maker.make(cell.address()), call);
            return cell.get(ValueLayout.JAVA_LONG, 0);
        }
    }

    /** Gives a result on, unless it is an error: of what, {@code call} says. */
    long check(long result, String call) {
        if (result < 0) {
            throw failure(result, call, "");
        }
        return result;
    }

    FabricException failure(long error, String call, String detail) {
        String meaning = read((text, size) -> shim().tf_error_text(error, text, size));
        return new FabricException(call + ": " + meaning
            + (detail.isEmpty() || detail.equals(meaning) ? "" : " (" + detail + ")"), (int) -error);
    }

    /** A function that copies a text. */
    interface Text {
        long copy(long text, long size);
    }

    String read(Text text) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(Shim.TEXT_BYTES);
            return text.copy(memory.address(), Shim.TEXT_BYTES) < 0 ? "" : memory.getString(0);
        }
    }

    @Override
    public String toString() {
        return isPresent() ? "libfabric " + version() : "no libfabric: " + absence;
    }
}
