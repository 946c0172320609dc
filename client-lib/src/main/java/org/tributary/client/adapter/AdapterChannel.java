package org.tributary.client.adapter;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;
import org.tributary.client.connection.RequestChannel;
import org.tributary.fabric.FabricException;
import org.tributary.fabric.channel.BlockWriter;
import org.tributary.fabric.channel.BlockWriters;

/** Requests of this rank in a block of a server. Guarded by the lock of the links. */
final class AdapterChannel implements RequestChannel {
    private final BlockWriters writers;
    private final int number;
    private final BlockWriter writer;
    private final BooleanSupplier progress;

    /**
     * The channel that has a number of the writers.
     *
     * @param progress looks what the adapter has ended; says whether something has happened
     */
    AdapterChannel(BlockWriters writers, int number, BlockWriter writer, BooleanSupplier progress) {
        this.writers = writers;
        this.number = number;
        this.writer = writer;
        this.progress = progress;
    }

    @Override
    public int write(MemorySegment source, int length) throws IOException {
        try {
            return writer.write(source, 0, length);
        } catch (FabricException e) {
            throw new IOException("the network adapter has not written a request: " + e.getMessage(), e);
        }
    }

    @Override
    public boolean isUnderWay() {
        return writers.isBusy(number);
    }

    @Override
    public boolean progress() {
        return progress.getAsBoolean();
    }

    @Override
    public boolean credit(long taken) {
        return writer.credit(taken);
    }

    @Override
    public boolean isAllTaken() {
        return writer.isAllTaken();
    }

    @Override
    public void close() {
        writers.close(number);
    }
}
