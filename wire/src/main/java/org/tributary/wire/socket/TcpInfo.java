package org.tributary.wire.socket;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A look at a connection as its kernel sees it: the fields of {@code struct tcp_info} that say whether the other kernel
 * answers. Each owner of connections has one, for all of them. Not thread-safe.
 */
public final class TcpInfo {
    private static final int TCP_INFO = 11;
    // struct tcp_info of linux/tcp.h; tcpi_segs_in is there from Linux 4.2 on.
    private static final int PROBES = 3;
    private static final int UNACKED = 24;
    private static final int SEGS_IN = 140;
    private static final int BYTES = SEGS_IN + Integer.BYTES;

    private final MemorySegment length = Arena.ofAuto().allocate(ValueLayout.JAVA_INT);
    private final MemorySegment info = Arena.ofAuto().allocate(BYTES, Long.BYTES);

    /** Looks at a connection; false when the kernel does not tell. */
    boolean read(int descriptor) {
        length.set(ValueLayout.JAVA_INT, 0, BYTES);
        return SocketOptions.get(descriptor, SocketOptions.IPPROTO_TCP, TCP_INFO, info, length)
            && length.get(ValueLayout.JAVA_INT, 0) == BYTES;
    }

    /** Segments that have come, those without data too. */
    int segmentsReceived() {
        return info.get(ValueLayout.JAVA_INT, SEGS_IN);
    }

    /** Whether something was sent that the other kernel has to answer and has not: data, or a probe. */
    boolean isUnanswered() {
        return info.get(ValueLayout.JAVA_INT, UNACKED) != 0 || info.get(ValueLayout.JAVA_BYTE, PROBES) != 0;
    }
}
