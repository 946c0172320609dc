package org.tributary.benchmarks.fabric;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.tributary.fabric.Region;
import org.tributary.fabric.RemoteRegion;
import org.tributary.fabric.channel.Arrival;

/**
 * Messages that are one write each, and nothing else: what a channel is compared with. They are written and noticed as
 * those of a channel are: with {@link Arrival#FLAG} by a plain write, whose last byte the other side polls, with
 * {@link Arrival#COMPLETION} by one that carries immediate data; and the adapter copies them at once where they fit.
 * One is on its way at a time.
 */
final class PlainMessages {
    /** Where messages are made; they arrive at the beginning of the region. */
    static final int SOURCE = FabricSide.REGION_BYTES / 2;
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
    private static final int FLAGS = 255;

    /** The primitives of the adapter; each writes so much from {@link #SOURCE} to the other region, or has no room. */
    interface Writes {
        boolean inject(int bytes);

        boolean injectWithData(int bytes, int data);

        boolean write(int bytes);

        boolean writeWithData(int bytes, int data);
    }

    private final Writes writes;
    private final MemorySegment memory;
    private final boolean byFlag;
    private final long injectBytes;
    private int bytes;
    private int sent;
    private int received;
    private int completed;

    /** {@code memory} of this side's region. */
    PlainMessages(Writes writes, MemorySegment memory, Arrival arrival, long injectBytes) {
        this.writes = writes;
        this.memory = memory;
        this.byFlag = arrival == Arrival.FLAG;
        this.injectBytes = injectBytes;
    }

    /** Those of the adapter, whose completions have this context. */
    static Writes of(Region region, RemoteRegion remote, int context) {
        return new Writes() {
            @Override
            public boolean inject(int bytes) {
                return remote.inject(0, region.memory(), SOURCE, bytes);
            }

            @Override
            public boolean injectWithData(int bytes, int data) {
                return remote.injectWithData(0, region.memory(), SOURCE, bytes, data);
            }

            @Override
            public boolean write(int bytes) {
                return remote.write(0, region, SOURCE, bytes, context);
            }

            @Override
            public boolean writeWithData(int bytes, int data) {
                return remote.writeWithData(0, region, SOURCE, bytes, data, context);
            }
        };
    }

    /** From now on messages are so long; both sides say so before either sends one. */
    void begin(int length) {
        bytes = length;
        memory.set(ValueLayout.JAVA_BYTE, length - 1L, (byte) 0); // no flag
    }

    /** Tries to begin the next message. */
    boolean send() {
        boolean fits = bytes <= injectBytes;
        boolean began;
        if (byFlag) {
            memory.set(ValueLayout.JAVA_BYTE, SOURCE + bytes - 1L, flag(sent));
            began = fits ? writes.inject(bytes) : writes.write(bytes);
        } else {
            began = fits ? writes.injectWithData(bytes, 0) : writes.writeWithData(bytes, 0);
        }
        if (began) {
            sent++;
        }
        return began;
    }

    /** Takes the next message if it is there. The read's partner is the other side's write of the last byte. */
    boolean receive() {
        boolean isThere = byFlag ? (byte) BYTE.getAcquire(memory, bytes - 1L) == flag(received) : completed > received;
        if (isThere) {
            received++;
        }
        return isThere;
    }

    /** Immediate data has come. */
    void arrived() {
        completed++;
    }

    private static byte flag(int number) {
        return (byte) (number % FLAGS + 1);
    }
}
