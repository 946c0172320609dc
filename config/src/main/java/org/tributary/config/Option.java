package org.tributary.config;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The one table of options: settings, their environment variables, messages and the reference page all come from it.
 */
enum Option {
    WAIT_PRESET("wait.preset", Kind.choice(WaitPreset.class), "shared",
        "How ranks and servers wait: shared polls briefly, letting others run meanwhile, and blocks; dedicated assumes"
            + " a core for each of them."),
    WAIT_SPIN("wait.spin", Kind.duration("0", "1h"), "50us", "10s",
        "How long a rank spins for something to happen before it blocks in the kernel."),
    SERVER_SPIN("server.spin", Kind.duration("0", "1h"), "100us", "10s",
        "How long a server's event loop polls after the last traffic before it blocks in epoll."),
    SHM_DIRECTORY("shm.directory", Kind.path(), "/dev/shm",
        "The memory-backed directory under which each server makes the directory of its node."),
    SERVER_BIND_ADDRESS("server.bind-address", Kind.text(), "0.0.0.0",
        "The address on which a server listens for ranks and servers of other nodes;"
            + " 'tributary run' has another default: 127.0.0.1 on one machine, and with several hosts the address by"
            + " which each of them reaches the others."),
    SERVER_INTERFACE("server.interface", Kind.text(), Option.ANY_INTERFACE,
        "The network interface, such as ib0, on whose address a server listens, instead of server.bind-address."),
    SERVER_PORT("server.port", Kind.integer(0, 65535), "0",
        "The TCP port of a server, 0 for any free one;"
            + " 'tributary run' on one machine adds the number of the node to it."),
    SERVER_METRICS_PORT("server.metrics-port", Kind.integer(-1, 65535), "-1",
        "The HTTP port for metrics in Prometheus format, 0 for any free one, -1 for none;"
            + " 'tributary run' on one machine adds the number of the node to it."),
    SERVER_METRICS_ADDRESS("server.metrics-address", Kind.text(), "127.0.0.1",
        "The address on which metrics are served to everybody who can reach it: there is no authentication."),
    SERVER_STRANGERS_MAX("server.strangers-max", Kind.integer(1, 1 << 20), "4096",
        "How many connections a server keeps, of ranks of its node and of others each, that have not proved that they"
            + " belong to the job; beyond that the one that has waited longest is closed. Fewer where the process may"
            + " not open so many files besides those that the job needs."),
    CONNECT_TIMEOUT("connect.timeout", Kind.duration("1ms", "1h"), "10s",
        "How long one attempt to connect may take, handshake included. Ranks and servers try again until"
            + " attach.timeout is over. A server closes a connection that has not proved within three times as long"
            + " that it belongs to the job."),
    CONNECTION_SILENCE_TIMEOUT("connection.silence-timeout", Kind.duration("5s", "24h"), "30s",
        "How long the kernel at the other end of a TCP connection may leave unanswered what it has to answer, with"
            + " nothing to do or with much, before the connection counts as broken. A process that is slow, or stopped,"
            + " does not matter: its kernel answers. No single packet decides: at least three are lost first."),
    ATTACH_TIMEOUT("attach.timeout", Kind.duration("1ms", "24h"), "30s",
        "How long a rank waits for the server of its node and for the other ranks to join; without 'tributary run' also"
            + " how long, from its start, a server waits for the ranks of its node."),
    MESSAGE_MAX_PAYLOAD("message.max-payload", Kind.size("64k", "1g"), "16m",
        "The largest payload in one message; longer transfers are cut."),
    CLIENT_BUFFER("client.buffer", Kind.size("4k", "64m"), "64k",
        "The buffers in which a rank gathers requests to one peer and reads replies from it, of this size each."),
    CLIENT_ASYNC_SEND_MIN("client.async-send-min", Kind.size("0", "1g"), "128k",
        "From how many bytes on a deferred put, whose source stays as it is, is sent by a thread while the rank"
            + " computes; 0 for never."),
    SERVER_THREADS("server.threads", Kind.integer(0, 64), "0",
        "How many event loops of a server move data: each connection of a rank of another node is served by one of"
            + " them, and what changes more than memory by the first. 0 is one for up to 8 cores, and one more for"
            + " each 8 that follow, at most 8; fewer where servers share a machine, ranks leave few cores, or the"
            + " network has less than 25 Gbit/s for each. Always one where nodes cooperate or fabric.channels is in"
            + " use."),
    SERVER_RECEIVE_BUFFER("server.receive-buffer", Kind.size("4k", "256m"), "256k",
        "The buffer into which a server reads requests of one connection."),
    SOCKET_BUFFER("socket.buffer", Kind.size("0", "1g"), "0",
        "The kernel's send and receive buffer of every connection; 0 leaves the system's own."),
    NETWORK_ENCRYPTION(Extent.JOB, "network.encryption", Kind.choice(NetworkEncryption.class), "none",
        "How data between nodes travels: none, in the clear; aes-gcm, encrypted and authenticated by ranks and"
            + " servers; ktls, by their kernels, which must have kTLS and be able to renew its keys (Linux 6.14)."),
    NETWORK_FABRIC(Extent.JOB, "network.fabric", Kind.choice(NetworkFabric.class), "none",
        "What moves large puts and gets to other nodes: none, messages to servers, as all"
            + " else; auto, an adapter that moves data without the target's process, if the machine has one; or that"
            + " provider of libfabric, which must be there. In the clear, and only where nodes do not cooperate."),
    FABRIC_CHANNELS("fabric.channels", Kind.channels(128), "0",
        "With network.fabric: to how many ranks of other nodes a server gives a block, to which they write their"
            + " requests with the adapter, instead of sending them over their connections. Those that send most have"
            + " one. To compare designs of channels, 8:fixed-top is 8 blocks of another one, and 8:fixed-top:64k of"
            + " another size than 32k, or 256k with fixed designs."),
    COLLECTIVE_CHUNK(Extent.JOB, "collective.chunk", Kind.size("64", "16m"), "16k",
        "The piece in which collective operations move and combine data."),
    NOTIFY_MAX_SOURCES(Extent.JOB, "notify.max-sources", Kind.integer(1, 1 << 24), "1024",
        "How many ranks can have notifications counted separately at one rank."),
    COOPERATION_MODE(Extent.JOB, "cooperation.mode", Kind.choice(CooperationMode.class), "none",
        "Whether requests pass other servers on their way: none, no; forward, one by one; aggregate, those that come"
            + " together in one message; combine, also fetch-and-adds to one word and accumulates to one range."),
    COOPERATION_SCOPE(Extent.JOB, "cooperation.scope", Kind.choice(CooperationScope.class), "process",
        "Who owns a channel to another group: each process, or the server of each node for all its ranks."),
    COOPERATION_GROUP_SIZE(Extent.JOB, "cooperation.group-size", Kind.integer(0, 65536), "0",
        "How many nodes form a group; 1 is none, 0 the square root of the number of nodes, rounded up."),
    COOPERATION_GROUPS(Extent.JOB, "cooperation.groups", Kind.text(), Option.CONSECUTIVE,
        "Which nodes form groups: consecutive ones, or a map such as 0-3;4-7;8,10."),
    COOPERATION_WINDOW("cooperation.window", Kind.duration("0", "10ms"), "100us",
        "How long a server holds requests at most, to send them together; it does so only while more are coming, and"
            + " until they have 16 KiB."),
    COOPERATION_CHANNEL_BYTES(Extent.JOB, "cooperation.channel-bytes", Kind.size("64k", "64m"), "64k",
        "The receive ring of a channel, in which requests wait to be forwarded: the sender's credit. One request may"
            + " take half of it."),
    COOPERATION_SERVER_BYTES("cooperation.server-bytes", Kind.size("64k", "1024g"), "1g",
        "How much memory the receive rings and request rings of one server may take; a job that needs more does not"
            + " start."),
    COOPERATION_RING_BYTES("cooperation.ring-bytes", Kind.powerOfTwo("4k", "16m"), "64k",
        "The ring in shared memory through which each rank hands requests to its own server with"
            + " cooperation.scope = node."),
    COOPERATION_BULK_THRESHOLD("cooperation.bulk-threshold", Kind.size("0", "1g"), "16k",
        "From how many bytes on a contiguous transfer goes directly to the target's server; at most a quarter of"
            + " cooperation.channel-bytes."),
    COOPERATION_DIRECT_CONNECTIONS("cooperation.direct-connections", Kind.integer(0, 4096), "8",
        "How many direct connections to targets a rank keeps, for bulk and for what is not contended; the one unused"
            + " for longest is closed."),
    COOPERATION_SERVER_CONNECTIONS("cooperation.server-connections", Kind.integer(0, 65536), "64",
        "How many such connections a server admits."),
    COOPERATION_REORDER_FLOATING_POINT(Extent.JOB, "cooperation.reorder-floating-point",
        Kind.choice(Permission.class), "no",
        "Whether accumulates of floating-point elements may be summed on their way, which rounds differently."),
    JOB_HANG_REPORT("job.hang-report", Kind.duration("0", "24h"), "60s",
        "After how long without progress of the job its launcher says who waits for whom, once"
            + " each time; 0 for never."),
    JOB_GRACE("job.grace", Kind.duration("0", "10min"), "2s",
        "How long a process of a job that is being ended has between SIGTERM and SIGKILL."),
    JOB_ON_FAILURE("job.on-failure", Kind.choice(FailurePolicy.class), "exit",
        "What a rank does when another part of the job has failed: exit at once, or throw from its operations.");

    /** The value of {@link #SERVER_INTERFACE} that names none. */
    static final String ANY_INTERFACE = "any";
    /** The value of {@link #COOPERATION_GROUPS} that is no map. */
    static final String CONSECUTIVE = "consecutive";

    /** Which processes must have the same value. */
    enum Extent {
        /** Each has its own. */
        PROCESS,
        /** All servers and ranks of a job; compared when they connect, a difference is refused. */
        JOB
    }

    private final Extent extent;
    private final String key;
    private final Kind kind;
    private final String sharedDefault;
    private final String dedicatedDefault;
    private final String doc;

    Option(String key, Kind kind, String defaultText, String doc) {
        this(Extent.PROCESS, key, kind, defaultText, defaultText, doc);
    }

    Option(Extent extent, String key, Kind kind, String defaultText, String doc) {
        this(extent, key, kind, defaultText, defaultText, doc);
    }

    Option(String key, Kind kind, String sharedDefault, String dedicatedDefault, String doc) {
        this(Extent.PROCESS, key, kind, sharedDefault, dedicatedDefault, doc);
    }

    Option(Extent extent, String key, Kind kind, String sharedDefault, String dedicatedDefault, String doc) {
        this.extent = extent;
        this.key = key;
        this.kind = kind;
        this.sharedDefault = sharedDefault;
        this.dedicatedDefault = dedicatedDefault;
        this.doc = doc;
    }

    static Option byKey(String key) {
        return Arrays.stream(values()).filter(option -> option.key.equals(key)).findFirst().orElse(null);
    }

    static Option byVariable(String variable) {
        return Arrays.stream(values()).filter(option -> option.variable().equals(variable)).findFirst().orElse(null);
    }

    static List<String> variables() {
        return Arrays.stream(values()).map(Option::variable).toList();
    }

    static List<String> keys() {
        return Arrays.stream(values()).map(Option::key).toList();
    }

    /** Whether all processes of a job must have the same value. */
    boolean isShared() {
        return extent == Extent.JOB;
    }

    String key() {
        return key;
    }

    Kind kind() {
        return kind;
    }

    String doc() {
        return isShared() ? doc + " The same for all of a job." : doc;
    }

    String variable() {
        return JobVariables.PREFIX + key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }

    String defaultText(WaitPreset preset) {
        return preset == WaitPreset.DEDICATED ? dedicatedDefault : sharedDefault;
    }

    boolean dependsOnPreset() {
        return !sharedDefault.equals(dedicatedDefault);
    }
}
