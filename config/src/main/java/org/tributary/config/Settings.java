package org.tributary.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The settings of one server, rank or launcher: immutable, and validated as a whole before anything is made from them.
 */
public final class Settings {
    private static final int LAST_PORT = 65535;

    private final Map<Option, Object> values;
    private final Map<Option, String> sources;

    Settings(Map<Option, Object> values, Map<Option, String> sources) {
        this.values = new EnumMap<>(values);
        this.sources = new EnumMap<>(sources);
    }

    public static Settings defaults() {
        return builder().build();
    }

    /** Later sources win: defaults, then file, then environment, then what is set by hand. */
    public static Builder builder() {
        return new Builder();
    }

    public WaitPreset waitPreset() {
        return (WaitPreset) values.get(Option.WAIT_PRESET);
    }

    public long waitSpinNs() {
        return number(Option.WAIT_SPIN);
    }

    public int serverStrangersMax() {
        return integer(Option.SERVER_STRANGERS_MAX);
    }

    /** How long a server waits for a connection to prove itself: longer than an attempt takes at the other side. */
    public long serverAdmissionTimeoutNs() {
        return 3 * number(Option.CONNECT_TIMEOUT);
    }

    public long serverSpinNs() {
        return number(Option.SERVER_SPIN);
    }

    public Path shmDirectory() {
        return (Path) values.get(Option.SHM_DIRECTORY);
    }

    public String serverBindAddress() {
        return (String) values.get(Option.SERVER_BIND_ADDRESS);
    }

    /** The interface to listen on, if there is to be one. */
    public Optional<String> serverInterface() {
        return Optional.of((String) values.get(Option.SERVER_INTERFACE))
            .filter(name -> !name.equals(Option.ANY_INTERFACE));
    }

    /** 0 for any free port. */
    public int serverPort() {
        return integer(Option.SERVER_PORT);
    }

    /** 0 for any free port, -1 for no metrics. */
    public int serverMetricsPort() {
        return integer(Option.SERVER_METRICS_PORT);
    }

    /** Where metrics are served; what can reach it can read them. */
    public String serverMetricsAddress() {
        return (String) values.get(Option.SERVER_METRICS_ADDRESS);
    }

    public long connectTimeoutNs() {
        return number(Option.CONNECT_TIMEOUT);
    }

    /** How long a kernel may be silent that has something to answer. */
    public long connectionSilenceTimeoutNs() {
        return number(Option.CONNECTION_SILENCE_TIMEOUT);
    }

    public long attachTimeoutNs() {
        return number(Option.ATTACH_TIMEOUT);
    }

    public int messageMaxPayload() {
        return integer(Option.MESSAGE_MAX_PAYLOAD);
    }

    /** For requests, and another one for replies. */
    public int clientBuffer() {
        return integer(Option.CLIENT_BUFFER);
    }

    /** 0 for never. */
    public int clientAsyncSendMin() {
        return integer(Option.CLIENT_ASYNC_SEND_MIN);
    }

    /** 0 for as many as the machine is good for. */
    public int serverThreads() {
        return integer(Option.SERVER_THREADS);
    }

    public int serverReceiveBuffer() {
        return integer(Option.SERVER_RECEIVE_BUFFER);
    }

    /** 0 to leave the system's own. */
    public int socketBuffer() {
        return integer(Option.SOCKET_BUFFER);
    }

    public NetworkEncryption networkEncryption() {
        return (NetworkEncryption) values.get(Option.NETWORK_ENCRYPTION);
    }

    /** As it is set; {@link #usesFabric(int)} says whether there is anything to look for. */
    public NetworkFabric networkFabric() {
        return (NetworkFabric) values.get(Option.NETWORK_FABRIC);
    }

    /** How many ranks of other nodes may write requests to a server with the adapter. */
    public int fabricChannels() {
        return ((ChannelSetting) values.get(Option.FABRIC_CHANNELS)).count();
    }

    /** How they use these blocks. */
    public ChannelDesign fabricChannelDesign() {
        return ((ChannelSetting) values.get(Option.FABRIC_CHANNELS)).design();
    }

    /** Bytes of each of these blocks. */
    public int fabricChannelBytes() {
        return ((ChannelSetting) values.get(Option.FABRIC_CHANNELS)).blockBytes();
    }

    /**
     * Whether an adapter may move data in a job of so many nodes. With {@code auto}, a job that is encrypted, or whose
     * nodes cooperate, has none.
     */
    public boolean usesFabric(int nodes) {
        NetworkFabric fabric = networkFabric();
        return nodes > 1 && fabric != NetworkFabric.NONE && (fabric != NetworkFabric.AUTO
            || networkEncryption() == NetworkEncryption.NONE && cooperationMode() == CooperationMode.NONE);
    }

    public int collectiveChunk() {
        return integer(Option.COLLECTIVE_CHUNK);
    }

    public int notifyMaxSources() {
        return integer(Option.NOTIFY_MAX_SOURCES);
    }

    public CooperationMode cooperationMode() {
        return (CooperationMode) values.get(Option.COOPERATION_MODE);
    }

    public CooperationScope cooperationScope() {
        return (CooperationScope) values.get(Option.COOPERATION_SCOPE);
    }

    /** 0 for the square root of the number of nodes, rounded up. */
    public int cooperationGroupSize() {
        return integer(Option.COOPERATION_GROUP_SIZE);
    }

    /** The map of nodes to groups; empty for consecutive nodes. */
    public Optional<String> cooperationGroups() {
        return Optional.of((String) values.get(Option.COOPERATION_GROUPS))
            .filter(text -> !text.equals(Option.CONSECUTIVE));
    }

    public long cooperationWindowNs() {
        return number(Option.COOPERATION_WINDOW);
    }

    public int cooperationChannelBytes() {
        return integer(Option.COOPERATION_CHANNEL_BYTES);
    }

    public long cooperationServerBytes() {
        return number(Option.COOPERATION_SERVER_BYTES);
    }

    public int cooperationRingBytes() {
        return integer(Option.COOPERATION_RING_BYTES);
    }

    public int cooperationBulkThreshold() {
        return integer(Option.COOPERATION_BULK_THRESHOLD);
    }

    public int cooperationDirectConnections() {
        return integer(Option.COOPERATION_DIRECT_CONNECTIONS);
    }

    public int cooperationServerConnections() {
        return integer(Option.COOPERATION_SERVER_CONNECTIONS);
    }

    public boolean cooperationReorderFloatingPoint() {
        return values.get(Option.COOPERATION_REORDER_FLOATING_POINT) == Permission.YES;
    }

    public long jobHangReportNs() {
        return number(Option.JOB_HANG_REPORT);
    }

    public long jobGraceNs() {
        return number(Option.JOB_GRACE);
    }

    public FailurePolicy jobOnFailure() {
        return (FailurePolicy) values.get(Option.JOB_ON_FAILURE);
    }

    /** The variables that make another process arrive at equal settings; what has its default value is left out. */
    public Map<String, String> toEnvironment() {
        Map<String, String> environment = new LinkedHashMap<>();
        values.forEach((option, value) -> {
            if (!value.equals(option.kind().parse(option.defaultText(waitPreset())))) {
                environment.put(option.variable(), option.kind().format(value));
            }
        });
        return environment;
    }

    /** Why so many servers on a machine cannot all have ports, counted up from fixed ones; nothing if they can. */
    public List<String> portProblems(int servers) {
        List<String> problems = new ArrayList<>();
        String counted = " when counted up for " + servers + " nodes on this machine";
        for (Option option : List.of(Option.SERVER_PORT, Option.SERVER_METRICS_PORT)) {
            long first = (Long) values.get(option);
            if (first > 0 && first + servers - 1 > LAST_PORT) {
                problems.add(option.key() + " = " + first + " is beyond the last port, " + LAST_PORT + "," + counted);
            }
        }
        long port = serverPort();
        long metricsPort = serverMetricsPort();
        if (port > 0 && metricsPort > 0 && port != metricsPort && Math.abs(port - metricsPort) < servers) {
            problems.add("server.port = " + port + " and server.metrics-port = " + metricsPort + " meet" + counted
                + "; leave room for " + servers + " ports between them");
        }
        return problems;
    }

    /** The same for one of several servers on a machine: fixed ports are counted up by {@code index}. */
    public Settings countedUp(int index) {
        Map<Option, Object> counted = new EnumMap<>(values);
        for (Option port : List.of(Option.SERVER_PORT, Option.SERVER_METRICS_PORT)) {
            counted.computeIfPresent(port, (option, value) -> (Long) value > 0 ? (Long) value + index : value);
        }
        return new Settings(counted, sources);
    }

    /** The same with so many event loops. */
    public Settings withServerThreads(int count) {
        Map<Option, Object> changed = new EnumMap<>(values);
        changed.put(Option.SERVER_THREADS, (long) count);
        return new Settings(changed, sources);
    }

    /** The settings that all processes of a job must have alike: key and value, in the order of the reference page. */
    public Map<String, String> shared() {
        Map<String, String> shared = new LinkedHashMap<>();
        values.forEach((option, value) -> {
            if (option.isShared()) {
                shared.put(option.key(), option.kind().format(value));
            }
        });
        return shared;
    }

    /** The name of every environment variable that is a setting, whatever its value here. */
    public static List<String> variables() {
        return Option.variables();
    }

    /** Every option with its value and where that came from, in the order of the reference page. */
    public List<Entry> describe() {
        return values.entrySet().stream().map(entry -> {
            Option option = entry.getKey();
            return new Entry(option.key(), option.kind().format(entry.getValue()), sources.get(option), option.doc());
        }).toList();
    }

    private long number(Option option) {
        return (Long) values.get(option);
    }

    private int integer(Option option) {
        return Math.toIntExact(number(option));
    }

    /** One option as an operator sees it. */
    public record Entry(String key, String value, String source, String doc) {
    }

    /**
     * Collects texts from their sources; nothing is checked until {@link #build}, which reports all problems together.
     */
    public static final class Builder {
        private SettingsSources sources = new SettingsSources();

        private Builder() {
        }

        /** A file of {@code key = value} lines; lines that begin with # are comments. */
        public Builder file(Path file) {
            sources.addFile(file);
            return this;
        }

        /** The variables of a process; those without the TRIBUTARY_ prefix are ignored. */
        public Builder environment(Map<String, String> environment) {
            sources.addEnvironment(environment);
            return this;
        }

        /** {@code key=value}, as on a command line. */
        public Builder set(String keyAndValue) {
            sources.addAssignment(keyAndValue);
            return this;
        }

        public Builder set(String key, String value) {
            sources.addAssignment(key + "=" + value);
            return this;
        }

        /** Throws {@link ConfigException} with every problem of every source. */
        public Settings build() {
            return build(settings -> { });
        }

        /**
         * As {@link #build()}, when there is more that the settings must fit.
         *
         * @param check throws {@link ConfigException} with what does not; what is wrong already it sees at its default,
         *     so that the problems of both are reported together
         */
        public Settings build(Consumer<Settings> check) {
            return sources.resolve(Settings::new, check);
        }
    }
}
