package org.tributary.globalarrays;

import java.lang.foreign.MemorySegment;
import java.util.function.BiConsumer;
import org.tributary.globalarrays.distribution.Patch;
import org.tributary.wire.shape.ElementType;

/**
 * Reads an array patch by patch on behalf of one rank: in place where its own block holds the patch, else through a
 * buffer that is kept. Used by one thread.
 */
final class Operand {
    private final String array;
    private final ElementType type;
    private final Block own;
    private final BiConsumer<Patch, LocalBuffer> get;
    private MemorySegment buffer;
    private View view;

    /** Of the array with a name; {@code get} reads a patch of it, whichever rank owns that. */
    Operand(String array, ElementType type, Block own, BiConsumer<Patch, LocalBuffer> get) {
        this.array = array;
        this.type = type;
        this.own = own;
        this.get = get;
    }

    /** A patch in memory: where its first element lies, and the bytes between elements. */
    record View(Patch patch, MemorySegment memory, long offset, long[] strides) {
        /** Byte offset of an element. */
        long at(long... index) {
            long at = offset;
            for (int d = 0; d < index.length; d++) {
                at += (index[d] - patch.lo(d)) * strides[d];
            }
            return at;
        }
    }

    /** Whether this rank's own block holds a patch. */
    boolean isOwn(Patch patch) {
        return own.patch().contains(patch);
    }

    /** Makes a patch readable until the next call. */
    View load(Patch patch) {
        if (isOwn(patch)) {
            view = new View(patch, own.segment(), own.offset(patch.lo()), own.strides());
        } else {
            long bytes = Math.multiplyExact(patch.elementCount(), (long) type.sizeInBytes());
            if (buffer == null || buffer.byteSize() < bytes) {
                buffer = MemorySegment.ofArray(new long[Math.toIntExact(Math.ceilDiv(bytes, Long.BYTES))]);
            }
            LocalBuffer local = LocalBuffer.of(buffer);
            get.accept(patch, local);
            view = new View(patch, buffer, 0, local.strides(array, type, patch));
        }
        return view;
    }
}
