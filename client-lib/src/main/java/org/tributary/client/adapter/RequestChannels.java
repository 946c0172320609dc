package org.tributary.client.adapter;

import java.io.IOException;
import java.util.function.BooleanSupplier;
import org.tributary.client.connection.ChannelFacts;
import org.tributary.client.connection.RequestChannel;
import org.tributary.client.connection.ServerLink;
import org.tributary.client.error.GasException;
import org.tributary.fabric.Endpoint;
import org.tributary.fabric.FabricException;
import org.tributary.fabric.RegionKey;
import org.tributary.fabric.RemoteRegion;
import org.tributary.fabric.channel.Arrival;
import org.tributary.fabric.channel.BlockWriters;
import org.tributary.fabric.channel.ChannelShape;

/** Channels for requests of a rank, made at first use, on its endpoint. Guarded by the lock of the links. */
final class RequestChannels implements AutoCloseable {
    private final Endpoint endpoint;
    private final int firstContext;
    private BlockWriters writers;

    /** Operations have contexts from {@code firstContext} on. */
    RequestChannels(Endpoint endpoint, int firstContext) {
        this.endpoint = endpoint;
        this.firstContext = firstContext;
    }

    /** Whether a server's adapter is of the kind, and its block of the size, that channels need. */
    boolean fits(ChannelFacts facts) {
        return facts.design() != null && facts.design().fits(facts.bytes() - ChannelShape.HEAD_BYTES)
            && facts.provider().equals(endpoint.provider().name());
    }

    /**
     * A channel to the server of a connection, which breaks with it.
     *
     * @param progress looks what the endpoint has ended; says whether something has happened
     * @throws FabricException when it cannot be opened
     */
    RequestChannel open(TargetNode target, ServerLink link, ChannelFacts facts, BooleanSupplier progress) {
        if (writers == null) {
            writers = new BlockWriters(endpoint, firstContext);
        }
        RemoteRegion region = target.peer(facts.address(), endpoint)
            .region(new RegionKey(facts.base(), facts.key(), facts.bytes()));
        int number = writers.open(region, facts.number(), why -> {
            GasException unused = link.broke(new IOException("the network adapter has not written a request: "
                + why.getMessage(), why));
        });
        Arrival arrival = facts.byCompletion() ? Arrival.COMPLETION : Arrival.FLAG;
        ChannelShape shape = ChannelShape.of(facts.design(), (int) facts.bytes() - ChannelShape.HEAD_BYTES);
        return new AdapterChannel(writers, number, writers.writer(number, shape, arrival), progress);
    }

    /** Whether something is under way, so that the endpoint has to be polled. */
    boolean areBusy() {
        return writers != null && writers.areBusy();
    }

    /** Whether an operation with that context is one of these. */
    boolean owns(int context) {
        return context >= firstContext;
    }

    void completed(int context) {
        writers.completed(context);
    }

    void failed(int context, FabricException reason) {
        writers.failed(context, reason);
    }

    /** Begins what had no room; a server that is never reached has so much time. */
    void goOn(long timeoutNs) {
        if (areBusy()) {
            writers.beginWaiting();
            writers.failUnreached(timeoutNs, System.nanoTime());
        }
    }

    /** Nothing more can be written: connections whose requests went by channels are broken. */
    void failAll(String why) {
        if (writers != null) {
            writers.failAll(new FabricException(why, 0));
        }
    }

    /** After the endpoint: nothing may use the memory any more. */
    @Override
    public void close() {
        if (writers != null) {
            writers.close();
        }
    }
}
