package org.tributary.benchmarks.windows;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.tributary.benchmarks.measure.Computation;
import org.tributary.benchmarks.measure.Repeatable;
import org.tributary.client.Gas;
import org.tributary.miniapps.exchange.Design;
import org.tributary.miniapps.exchange.Exchange;
import org.tributary.miniapps.exchange.Neighbourhood;
import org.tributary.miniapps.exchange.Synchronization;

/** Exchanges of messages of one length with all neighbours, by several synchronizations in every design. */
final class Exchanges implements AutoCloseable {
    /** One of them. */
    record Kind(Synchronization synchronization, Design design) {
    }

    private final Neighbourhood neighbourhood;
    private final List<Kind> kinds = new ArrayList<>();
    private final List<Exchange> exchanges = new ArrayList<>();

    /** Collective over all ranks. */
    Exchanges(Gas gas, Neighbourhood neighbourhood, long bytes, Synchronization... synchronizations) {
        this.neighbourhood = neighbourhood;
        long[] lengths = new long[neighbourhood.count()];
        Arrays.fill(lengths, bytes);
        for (Synchronization synchronization : synchronizations) {
            for (Design design : synchronization.designs()) {
                Exchange exchange = synchronization.open(gas, neighbourhood, design, lengths);
                kinds.add(new Kind(synchronization, design));
                exchanges.add(exchange);
                for (int direction = 0; direction < neighbourhood.count(); direction++) {
                    exchange.outgoing(direction).fill(content(neighbourhood.self(), direction));
                }
            }
        }
    }

    /** Fill byte of a message, by its sender and direction. */
    private static byte content(int sender, int direction) {
        return (byte) (1 + sender * 31 + direction);
    }

    /** In the order of {@link #steps}. */
    List<Kind> kinds() {
        return kinds;
    }

    /** One step of each, with computation between. */
    List<Repeatable> steps(Computation computation, double computeNs) {
        return exchanges.stream().<Repeatable>map(exchange -> () -> {
            exchange.issue();
            computation.run(computeNs);
            exchange.finish();
        }).toList();
    }

    /** Checks what came in the last step of each. */
    void verify() throws IOException {
        for (int i = 0; i < kinds.size(); i++) {
            for (int direction = 0; direction < neighbourhood.count(); direction++) {
                verify(kinds.get(i), exchanges.get(i).incoming(direction), direction);
            }
        }
    }

    private void verify(Kind kind, MemorySegment message, int direction) throws IOException {
        int sender = neighbourhood.rank(direction);
        byte expected = content(sender, neighbourhood.opposite(direction));
        for (long at = 0; at < message.byteSize(); at++) {
            if (message.get(ValueLayout.JAVA_BYTE, at) != expected) {
                throw new IOException("byte " + at + " of the message of rank " + sender + " to rank "
                    + neighbourhood.self() + " is not what was sent by " + kind);
            }
        }
    }

    /** Collective. */
    @Override
    public void close() {
        exchanges.forEach(Exchange::close);
    }
}
