package org.tributary.client.adapter;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.tributary.fabric.FabricException;
import org.tributary.fabric.LocalMemory;

/**
 * Memory of callers that is registered with an adapter, and stays so for their next transfers: it takes longer to
 * register 64 KiB than to copy them.
 *
 * <p>Later memory at the same addresses must not be taken for it, as the adapter would go on with the old pages. A
 * registration therefore belongs to the scope of its memory. Memory of an arena is not freed before the arena is
 * closed, and what another arena has there later is of another scope. The global scope proves nothing: native memory
 * that a program gets elsewhere, and frees there, has it as well ({@code MemorySegment.reinterpret}). Such memory is
 * registered for one transfer, when that is large, and its caller keeps it so long because he waits.
 *
 * <p>They belong to the endpoint, which closes them. Guarded by the lock of the links.
 */
final class Registrations {
    /** How many are kept. */
    static final int MOST = 256;
    /** Of how many bytes together; a transfer of more is copied, as others of the rank wait meanwhile. */
    static final long MOST_BYTES = 256L << 20;
    /** Large memory is registered in such parts, at multiples of it: its transfers then meet in few of them. */
    static final long CHUNK_BYTES = 4 << 20;
    /** From so many bytes on, memory is registered for one transfer alone. */
    static final long ONCE_BYTES = 1 << 20;
    /** What lies between blocks is registered with them, so much for each byte of them at most. */
    static final int SPARSE = 4;
    /** Smaller memory takes the place of what has not been used for so many transfers; sooner, it is copied. */
    static final int PATIENCE = 4096;
    /** When memory cannot be registered, only this fraction of it is tried from then on. */
    static final int MUCH_SMALLER = 4;

    /** Registers memory for an endpoint's own use; throws {@link FabricException} as that does. */
    interface Registrar {
        /** The memory may go before the registration. */
        LocalMemory register(MemorySegment memory);
    }

    private final Registrar registrar;
    private final Consumer<String> warning;
    private final List<Registration> kept = new ArrayList<>();
    private long bytes;
    private long mostBytes = MOST_BYTES;
    private long tooMuch = Long.MAX_VALUE;
    private boolean hasWarned;
    /** Transfers, for which there was memory or not. */
    private long clock;
    private long taken;
    private long made;

    /** None yet. {@code warning} is told once when memory cannot be registered. */
    Registrations(Registrar registrar, Consumer<String> warning) {
        this.registrar = registrar;
        this.warning = warning;
    }

    /**
     * A registration for a transfer of a caller who waits; null when the transfer had better be copied. The transfer
     * says when it has ended.
     *
     * @param low   where the first of its bytes is in the memory, and {@code high} behind the last
     * @param moved how many bytes it moves
     */
    Registration take(MemorySegment memory, long low, long high, long moved) {
        if (low < 0 || high > memory.byteSize() || memory.isReadOnly()) {
            return null;
        }
        Registration found = find(memory, low, high);
        if (found == null) {
            found = make(memory, low, high, moved);
        }
        if (found != null) {
            taken++;
            found.begun(++clock);
        }
        return found;
    }

    private Registration find(MemorySegment memory, long low, long high) {
        for (int i = 0; i < kept.size(); i++) {
            if (kept.get(i).holds(memory.scope(), memory.address() + low, memory.address() + high)) {
                return kept.get(i);
            }
        }
        return null;
    }

    private Registration make(MemorySegment memory, long low, long high, long moved) {
        closeDead();
        long extent = high - low;
        if (extent / SPARSE > moved) {
            return null;
        }
        MemorySegment least = memory.asSlice(low, extent);
        if (memory.scope().equals(Arena.global().scope()) || extent > mostBytes) {
            return moved < ONCE_BYTES || extent > MOST_BYTES ? null : registered(least, false);
        }
        MemorySegment range = chunks(memory, low, high);
        if (range.byteSize() >= tooMuch || range.byteSize() > mostBytes) {
            range = least;
        }
        return range.byteSize() >= tooMuch || !makeRoom(range.byteSize(), extent >= ONCE_BYTES) ? null
            : registered(range, true);
    }

    /** Whole chunks of the memory, at multiples of their size, as far as the memory reaches. */
    private static MemorySegment chunks(MemorySegment memory, long low, long high) {
        long address = memory.address();
        long begin = Math.max(0, Math.floorDiv(address + low, CHUNK_BYTES) * CHUNK_BYTES - address);
        long end = Math.min(memory.byteSize(), Math.ceilDiv(address + high, CHUNK_BYTES) * CHUNK_BYTES - address);
        return memory.asSlice(begin, end - begin);
    }

    private Registration registered(MemorySegment range, boolean isKept) {
        LocalMemory local = range.byteSize() >= tooMuch ? null : register(range);
        if (local == null) {
            return null;
        }
        made++;
        Registration registration = Registration.of(local, range, isKept);
        if (isKept) {
            kept.add(registration);
            bytes += range.byteSize();
        }
        return registration;
    }

    /** Null when that cannot be done. */
    private LocalMemory register(MemorySegment range) {
        try {
            return registrar.register(range);
        } catch (FabricException e) {
            long before = bytes;
            if (e.code() == FabricException.BAD_ADDRESS) {
                return null; // such as a file that must not be written
            } else if (e.code() == FabricException.NO_SYSTEM_CALL) {
                tooMuch = 0; // others could reach it
                return null;
            } else if (closeUnused()) {
                LocalMemory registered = register(range);
                mostBytes = registered == null ? mostBytes : Math.min(mostBytes, before); // more cannot be kept
                return registered;
            }
            refuse(range.byteSize(), e);
            return null;
        }
    }

    private void refuse(long refused, FabricException why) {
        tooMuch = Math.max(1, refused / MUCH_SMALLER);
        if (!hasWarned) {
            hasWarned = true;
            warning.accept("cannot register " + refused + " bytes of its memory for the network adapter, so data of "
                + tooMuch + " bytes and more are copied: " + why.getMessage()
                + ". If memory must not be locked, raise the limit (ulimit -l)");
        }
    }

    /** Lets those go that were used least recently; false when something small had better wait. */
    private boolean makeRoom(long wanted, boolean isLarge) {
        while (kept.size() >= MOST || bytes + wanted > mostBytes) {
            Registration oldest = null;
            for (Registration each : kept) {
                if (!each.isInUse() && (oldest == null || each.lastUse() < oldest.lastUse())) {
                    oldest = each;
                }
            }
            if (oldest == null || !isLarge && clock - oldest.lastUse() < PATIENCE) {
                clock++;
                return false;
            }
            drop(oldest);
        }
        return true;
    }

    private void drop(Registration registration) {
        kept.remove(registration);
        bytes -= registration.bytes();
        registration.drop();
    }

    private void closeDead() {
        for (int i = kept.size() - 1; i >= 0; i--) {
            if (kept.get(i).isDead()) {
                drop(kept.get(i));
            }
        }
    }

    /** Returns whether there was any. */
    private boolean closeUnused() {
        int before = kept.size();
        for (int i = before - 1; i >= 0; i--) {
            if (!kept.get(i).isInUse()) {
                drop(kept.get(i));
            }
        }
        return kept.size() < before;
    }

    /** How many transfers have used one. */
    long taken() {
        return taken;
    }

    /** How many have been made. */
    long made() {
        return made;
    }

    /** How many are kept. */
    int count() {
        return kept.size();
    }

    /** Bytes of those that are kept. */
    long bytes() {
        return bytes;
    }
}
