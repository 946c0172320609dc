import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.tributary.config.OptionsHeader;
import org.tributary.fabric.Shim;
import org.tributary.wire.RankState;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;
import org.tributary.wire.shm.LayoutHeader;

/**
 * Writes what the C client must have like the Java one, but for the codecs: settings, places in shared memory, names,
 * and numbers by which clients decide.
 */
class Headers {
    /** A class, and constants of it with what C calls them where that differs. */
    private static final String CLIENT = """
        config.JobEnvironmentReader RANK_VARIABLES
        config.Option ANY_INTERFACE:INTERFACE_ANY CONSECUTIVE
        wire.Agreement RELEASE:AGREED_RELEASE LAYOUT:AGREED_LAYOUT
        wire.BlockingConnection BUFFER_BYTES:CONNECTION_BUFFER ACCEPT_LOOK_NS
        wire.Handshake CHALLENGE:CHALLENGE_LABEL RESPONSE:RESPONSE_LABEL WELCOME:WELCOME_LABEL REFUSED:REFUSED_LABEL \
        TO_SERVER:TO_SERVER_LABEL FROM_SERVER:FROM_SERVER_LABEL MESSAGES:HANDSHAKE_MESSAGES
        wire.LongWait FIRST_NS:NOTICE_AFTER_NS
        wire.record.KernelTls RENEW_AFTER:KTLS_RENEW_AFTER INFO_BYTES:KTLS_INFO_BYTES SALT_BYTES:KTLS_SALT_BYTES \
        SEQUENCE_AT:KTLS_SEQUENCE_AT TCP_ULP SOL_TLS TLS_TX TLS_RX RECORD_TYPE_TO_SET RECORD_TYPE_GOT TLS_1_3 \
        AES_GCM_128 ALERT:TLS_ALERT HANDSHAKE:TLS_HANDSHAKE CLOSE_NOTIFY:TLS_CLOSE_NOTIFY KEY_UPDATE:TLS_KEY_UPDATE \
        RECORD_BYTES_AT_LEAST:KTLS_RECORD_BYTES_AT_LEAST
        wire.record.RecordChannel STAGED_RECORDS
        wire.record.RecordException CHANGED:RECORD_CHANGED
        wire.record.RecordKey KEY_BYTES NONCE_BYTES KEY_LABEL VECTOR_LABEL NEXT_LABEL
        wire.shape.Reducer TILE_BYTES
        wire.ReadyLine BEGIN:READY_BEGIN ADDRESS:READY_ADDRESS
        wire.shm.AccumulateLocks SEGMENT_FACTOR:LOCK_SEGMENT_FACTOR SEGMENT_SHIFT:LOCK_SEGMENT_SHIFT \
        SPINS_BEFORE_YIELD YIELDS_BEFORE_LIVENESS_CHECK FIRST_PAUSE_NS:FIRST_LOCK_PAUSE_NS \
        LONGEST_PAUSE_NS:LONGEST_LOCK_PAUSE_NS
        wire.shm.Backoff SLICE_NS:BACKOFF_SLICE_NS SHORTEST_REST_NS LONGEST_REST_NS RESTS_TO_FORGET
        wire.shm.CallLayout COUNT_SHIFT:CLOSINGS_SHIFT
        wire.shm.Chance FIRST_SHIFT:CHANCE_FIRST_SHIFT SECOND_SHIFT:CHANCE_SECOND_SHIFT LAST_SHIFT:CHANCE_LAST_SHIFT
        wire.shm.LockedDirectory LOCK_PREFIX:LOCK_FILE UNLOCKED_IS_STALE_AFTER_S
        wire.shm.NodeDirectory PREFIX:NODE_DIRECTORY CONTROL:CONTROL_FILE RINGS:RINGS_FILE SOCKET:SOCKET_FILE \
        SEGMENT:SEGMENT_FILE REMOVE_NS:SWEEP_OWN_NS OTHERS_NS:SWEEP_OTHERS_NS \
        PAUSE_NS:SWEEP_PAUSE_NS
        wire.shm.TraceLayout SUFFIX:TRACE_FILE
        wire.socket.Silence LOOKS
        wire.socket.TcpInfo PROBES:TCP_INFO_PROBES UNACKED:TCP_INFO_UNACKED SEGS_IN:TCP_INFO_SEGMENTS_IN \
        BYTES:TCP_INFO_BYTES
        wire.socket.TcpWatch TCP_RTO_MAX_MS LEAST_RTO_MS:TCP_LEAST_RTO_MS MAX_RTO_MS:TCP_MAX_RTO_MS \
        MAX_KEEPALIVE_S:TCP_MAX_KEEPALIVE_S MAX_PROBES:TCP_MAX_PROBES
        wire.status.CallDescription TYPES:TYPE_WORDS OPERATIONS:OPERATION_WORDS WHAT_FACTOR BYTES_FACTOR \
        SUBJECT_FACTOR NUMBER_FACTOR FIRST_MIX_FACTOR SECOND_MIX_FACTOR FIRST_MIX_SHIFT SECOND_MIX_SHIFT LAST_MIX_SHIFT
        wire.Deadline LOOK_NS:DEADLINE_LOOK_NS COUNTED_NS:DEADLINE_COUNTED_NS
        wire.shm.SystemCalls RESERVED_AT_ONCE
        fabric.Endpoint MAX_ADDRESS_BYTES:MAX_FABRIC_ADDRESS
        fabric.Provider LEAST_DATA_BYTES:FABRIC_DATA_BYTES
        fabric.channel.Arrivals NUMBERS:ARRIVAL_NUMBERS MORE:ARRIVAL_MORE
        fabric.channel.BlockWord BOTTOM_FLAGS:BLOCK_FLAGS LAST_SHIFT:BLOCK_FLAG_SHIFT TOP_FLAGS:BLOCK_TOP_FLAGS \
        TOP_SHIFT:BLOCK_TOP_FLAG_SHIFT TOP_OTHER:BLOCK_TOP_OTHER
        fabric.channel.BlockWriters SLOTS:CHANNEL_SLOTS NUMBER_SHIFT:CHANNEL_NUMBER_SHIFT
        fabric.channel.ChannelShape HEAD_BYTES:BLOCK_HEAD_BYTES WORD:BLOCK_WORD
        config.ChannelDesign SLOT_BYTES:BLOCK_SLOT_BYTES MAX_SLOTS:BLOCK_MAX_SLOTS \
        MAX_VARIABLE_BYTES:BLOCK_MAX_VARIABLE_BYTES FIXED_BYTES:FIXED_BLOCK_BYTES VARIABLE_BYTES:BLOCK_BYTES
        cooperation.DirectPaths WORTH:WORTH_DIRECT FIRST_PAUSE_NS MAX_DOUBLINGS
        client.adapter.Bounce SLOTS SLOT_BYTES
        client.adapter.Doubt AFTER_NS:DOUBT_AFTER_NS
        client.adapter.Piece MOST_BLOCKS:SLOT_BLOCKS DIRECT_BYTES:DIRECT_PIECE_BYTES
        client.adapter.Registrations MOST:REGISTRATIONS MOST_BYTES:REGISTERED_BYTES CHUNK_BYTES:REGISTERED_CHUNK \
        ONCE_BYTES:REGISTERED_ONCE SPARSE:REGISTERED_SPARSE PATIENCE:REGISTERED_PATIENCE \
        MUCH_SMALLER:REGISTERED_SMALLER
        client.adapter.RankAdapter MUCH THRESHOLD:ADAPTER_THRESHOLD DIRECT_THRESHOLD:ADAPTER_DIRECT_THRESHOLD \
        COPY_ALIGNMENT \
        DRAIN_NS:ADAPTER_DRAIN_NS DRAIN_PARK_NS:ADAPTER_DRAIN_PARK_NS
        client.connection.AckLedger UNREAD_BEFORE_READING:ACKS_BEFORE_READING
        client.link.DirectLinks UNUSED_NS WAIT_AGAIN_NS
        client.link.Farewell CLOSE_MS
        client.connection.FastPath FIRST_PAUSE_NS:FIRST_ASKING_PAUSE_NS LAST_PAUSE_NS:LAST_ASKING_PAUSE_NS
        client.link.HealthCheck LOOK_NS:REMIND_NS
        client.link.JobFailure EXIT_CODE REASON_NS:BETTER_REASON_NS LOOK_NS:REASON_LOOK_NS ECHO_NS:REASON_ECHO_NS \
        ENDING_NS
        client.link.Links BLOCK_MS
        client.connection.ReplyReader MAX_READ
        client.link.Router SLICE_NS:OPENING_SLICE_NS
        client.connection.SendBuffer DIRECT_BYTES MAX_WRITE
        client.link.SocketConnector RETRY_NS LAST_RETRY_NS DIRECT_CONNECT_NS
        client.link.WaitLoop FULL_PARK_NS FULL_POLLS_BEFORE_PARK NAPS_SHARE SHORTEST_NAP_NS LONGEST_NAP_NS
        client.node.LocalNode SLICE_NS:WAIT_SLICE_NS LONGEST_SLICE_NS FIRST_DOUBT_NS LOOKS_BEFORE_CLOCK
        client.remote.RemoteMemory MAX_GET_RANGES MAX_SHAPED_GET MAX_MERGED_BYTES
        client.Allocator RANK_SHIFT:DRAWN_RANK_SHIFT
        client.attach.Attachment ATTACH_RETRY_NS
        client.segment.CommonResult INVALID_ARGUMENT:COMMON_INVALID_ARGUMENT NO_SPACE:COMMON_NO_SPACE \
        REFUSED:COMMON_REFUSED NO_MEMORY:COMMON_NO_MEMORY SYSTEM:COMMON_SYSTEM
        client.Group COLOR_SHIFT
        client.segment.Members DIGEST_FACTOR
        client.link.Calls LOOK_NS:CALLS_LOOK_NS PATIENCE_NS:CALLS_PATIENCE_NS
        client.bootstrap.Fields PLAIN:PLAIN_IN_FIELDS
        client.bootstrap.Launched EXIT_CODE:GIVE_UP_CODE STATUS_FIELDS FORWARDED_NS ALONE_STARTS_NS
        client.bootstrap.LastOfNode LOOK_NS:LAST_LOOK_NS LONGEST_LOOK_NS:LAST_LONGEST_LOOK_NS SWEEP_NS:LAST_SWEEP_NS
        client.bootstrap.Launchers DESCRIBING:DESCRIBING_VARIABLES SIZES:SIZE_VARIABLES
        client.bootstrap.ServerCommand ARGUMENTS:SERVER_ARGUMENTS
        client.bootstrap.Exchange COUNT_LENGTH:EXCHANGE_COUNT_BYTES
        client.bootstrap.NodeServer SCRIPT:SERVER_SCRIPT NOT_THE_SERVERS:CALLERS_VARIABLES END_S:SERVER_END_S
        client.bootstrap.Pmi MAX_LINE:PMI_LINE_BYTES MOST_OF_A_VALUE:PMI_MOST_OF_A_VALUE \
        LEAST_OF_A_VALUE:PMI_LEAST_OF_A_VALUE MOST_RANKS:PMI_MOST_RANKS
        client.bootstrap.Pmix VALUE_LENGTH:PMIX_VALUE_BYTES
        client.bootstrap.Plan SECRET_BYTES FIELDS:PLAN_FIELDS GOOD:PLAN_GOOD BAD:PLAN_BAD ALONE:PLAN_ALONE \
        RANKS:PLAN_RANKS
        client.bootstrap.Self FIELDS:SELF_FIELDS MOST_NODES
        """;

    public static void main(String[] folder) throws IOException {
        Path to = Files.createDirectories(Path.of(folder[0]));
        String client = CLIENT.lines().map(line -> line.split(" +"))
            .flatMap(words -> Arrays.stream(words).skip(1).map(name -> define("org.tributary." + words[0], name)))
            .collect(Collectors.joining("", "/* Generated from org.tributary.client and what it uses. */\n", ""))
            + codes("ELEMENT", ElementType.values()) + codes("REDUCE", ReduceOp.values())
            + codes("STATE", RankState.values()) + sizes();
        Map<String, String> headers = Map.of("layout.h", LayoutHeader.text(), "options.h", OptionsHeader.text(),
            "client.h", client, "fabric.h", shim());
        checkNames(String.join("", headers.values()));
        for (Map.Entry<String, String> header : headers.entrySet()) {
            Files.writeString(to.resolve(header.getKey()), header.getValue());
        }
    }

    /** Of two macros with one name the later one holds: compilers do not warn of system headers, which these are. */
    private static void checkNames(String headers) {
        Set<String> names = new HashSet<>();
        headers.lines().filter(line -> line.startsWith("#define ")).map(line -> line.split(" ")[1]).forEach(name -> {
            if (!names.add(name)) {
                throw new IllegalStateException("two constants are " + name + " in C");
            }
        });
    }

    /**
     * The functions of the shim over libfabric, for those who load it; and whether they and the codes in its header,
     * which comes before, are as Java has them: each has as many arguments, and a result, or none.
     */
    private static String shim() {
        List<Method> functions = Arrays.stream(Shim.class.getDeclaredMethods())
            .sorted(Comparator.comparing(Method::getName)).toList();
        return "/* Generated from " + Shim.class.getName() + ". */\n"
            + functions.stream().map(function -> "each(" + function.getName() + ")")
                .collect(Collectors.joining(" ", "#define TRIB_SHIM_FUNCTIONS(each) ", "\n"))
            + functions.stream().map(Headers::check).collect(Collectors.joining())
            + Arrays.stream(Shim.class.getFields()).map(Headers::check).collect(Collectors.joining());
    }

    /** Without the address, a function that the header lacks would be declared by its call. */
    private static String check(Method function) {
        return "_Static_assert(__builtin_types_compatible_p(__typeof__((&%s)(%s)), void) == %d, \"Shim.%1$s\");\n"
            .formatted(function.getName(), String.join(", ", Collections.nCopies(function.getParameterCount(), "0")),
                function.getReturnType() == void.class ? 1 : 0);
    }

    private static String check(Field code) {
        try {
            return "_Static_assert(TF_%s == %s, \"Shim.%1$s\");\n".formatted(code.getName(), code.get(null));
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String codes(String prefix, Enum<?>... all) {
        return Arrays.stream(all).map(code -> "#define TRIB_%s_%s %d\n".formatted(prefix, code, code.ordinal()))
            .collect(Collectors.joining());
    }

    /** Bytes and alignment of each type of elements. */
    private static String sizes() {
        return Arrays.stream(ElementType.values())
            .map(type -> "{%d, %d}".formatted(type.sizeInBytes(), type.componentBytes()))
            .collect(Collectors.joining(", ", "#define TRIB_ELEMENT_SIZES ", "\n"));
    }

    /** Numbers are of the same width as in Java. */
    private static String define(String type, String name) {
        String[] names = name.split(":");
        try {
            Field field = Class.forName(type).getDeclaredField(names[0]);
            field.setAccessible(true);
            return "#define TRIB_" + names[names.length - 1] + " " + literal(field.get(null)) + "\n";
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(type + " has no constant " + name, e);
        }
    }

    private static String literal(Object value) {
        return switch (value) {
            case Long number -> number + "LL";
            case String text -> '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
            case List<?> all -> all.stream().map(Headers::literal).collect(Collectors.joining(", "));
            case Number number -> number.toString();
            case byte[] all -> IntStream.range(0, all.length).mapToObj(i -> Byte.toString(all[i]))
                .collect(Collectors.joining(", "));
            default -> throw new IllegalStateException("C has no constant like " + value.getClass());
        };
    }
}
