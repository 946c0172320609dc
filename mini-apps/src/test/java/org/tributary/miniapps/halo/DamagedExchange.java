package org.tributary.miniapps.halo;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import org.tributary.miniapps.exchange.Exchange;

/** Damages one bit of a message on one rank in one step. */
final class DamagedExchange implements Exchange {
    private final Exchange exchange;
    private final int damagedStep;
    private final int damagedDirection;
    private final long damagedByte;
    private int step = -1;

    DamagedExchange(Exchange exchange, int damagedStep, int damagedDirection, long damagedByte) {
        this.exchange = exchange;
        this.damagedStep = damagedStep;
        this.damagedDirection = damagedDirection;
        this.damagedByte = damagedByte;
    }

    /** How many have been finished. */
    int steps() {
        return step + 1;
    }

    @Override
    public MemorySegment outgoing(int direction) {
        return exchange.outgoing(direction);
    }

    @Override
    public void limit(int direction, long sent, long received) {
        exchange.limit(direction, sent, received);
    }

    @Override
    public void issue() {
        exchange.issue();
    }

    @Override
    public void finish() {
        exchange.finish();
        step++;
    }

    @Override
    public MemorySegment incoming(int direction) {
        MemorySegment message = exchange.incoming(direction);
        if (step != damagedStep || direction != damagedDirection) {
            return message;
        }
        byte[] copy = message.toArray(ValueLayout.JAVA_BYTE);
        copy[(int) damagedByte] ^= 1;
        MemorySegment damaged = MemorySegment.ofArray(new long[(copy.length + 7) / 8]).asSlice(0, copy.length);
        return damaged.copyFrom(MemorySegment.ofArray(copy));
    }

    @Override
    public Optional<String> choice() {
        return exchange.choice();
    }

    @Override
    public void close() {
        exchange.close();
    }
}
