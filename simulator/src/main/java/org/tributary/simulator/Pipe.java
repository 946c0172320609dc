package org.tributary.simulator;

import java.util.ArrayDeque;

/** One direction of a connection: delivers in order. */
final class Pipe {
    interface Reader {
        void arrived(Pipe pipe);

        /** The other side is gone. */
        void broken(Pipe pipe);
    }

    final ArrayDeque<Packet> arrived = new ArrayDeque<>();
    final Reader reader;
    final int fromNode;
    final int fromRank;
    /** The other direction. */
    Pipe back;
    /** At a server that takes requests from the pipe: the source's number; -1 where only answers come. */
    int source = -1;
    /** The number of its event loop at a server. */
    int loop;
    /** Whether it is a direct connection of the rank. */
    boolean isDirect;
    boolean isReady;
    boolean isHeld;
    boolean isBroken;
    /** Within a node, through shared memory. */
    boolean isRing;
    /** The messages that the next call will send. */
    Packet out = new Packet();
    private long lastArrivalNs;

    Pipe(Reader reader, int fromNode, int fromRank) {
        this.reader = reader;
        this.fromNode = fromNode;
        this.fromRank = fromRank;
    }

    /** The two directions of a connection from a rank, or with -1 a server, to a server; returns the way there. */
    static Pipe connection(Reader opener, int node, int rank, Reader server, int serverNode) {
        Pipe there = new Pipe(server, node, rank);
        there.back = new Pipe(opener, serverNode, -1);
        there.back.back = there;
        return there;
    }

    Packet takeOut() {
        Packet packet = out;
        out = new Packet();
        return packet;
    }

    /** The connection breaks: the reader of each direction hears of it, once. */
    void breakOff(Conditions conditions) {
        for (Pipe pipe : new Pipe[] {this, back}) {
            if (!pipe.isBroken) {
                pipe.isBroken = true;
                pipe.arrived.clear();
                conditions.events().at(conditions.events().nowNs() + conditions.costs().latencyNs(),
                    () -> pipe.reader.broken(pipe));
            }
        }
    }

    void send(Conditions conditions, long atNs, Packet packet) {
        long tripNs = isRing ? 0
            : conditions.costs().latencyNs() + conditions.costs().bytesNs(packet.lengthInBytes());
        lastArrivalNs = Math.max(lastArrivalNs, atNs + tripNs + conditions.delayNs());
        conditions.events().at(lastArrivalNs, () -> {
            if (!isBroken) {
                arrived.add(packet);
                reader.arrived(this);
            }
        });
    }
}
