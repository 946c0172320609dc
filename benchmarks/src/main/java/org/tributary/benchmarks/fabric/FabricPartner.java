package org.tributary.benchmarks.fabric;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.tributary.config.ChannelDesign;
import org.tributary.fabric.CompletionHandler;
import org.tributary.fabric.FabricException;
import org.tributary.fabric.FabricKind;
import org.tributary.fabric.channel.Channel;

/**
 * The other process: sends back what arrives. It reads lines: that of the other side, then what to serve,
 * {@code OPERATIONS}, of which nothing is to be sent back, {@code PLAIN} and how long messages are, a design, or
 * {@code POLLED} and how many channels; it ends at the end of its input, which comes also when the other process dies.
 */
final class FabricPartner implements CompletionHandler {
    private static final String END = "end";

    private final FabricSide side;
    private boolean owesAnswer;
    /** The line that was read last. */
    private volatile String order = "";

    private FabricPartner(FabricSide side) {
        this.side = side;
    }

    /** Argument: the kind of provider. */
    public static void main(String[] arguments) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (FabricSide side = new FabricSide(FabricSide.find(FabricKind.valueOf(arguments[0])))) {
            System.out.println(side.describe());
            String other = input.readLine();
            if (other != null) {
                side.connect(other);
                FabricPartner partner = new FabricPartner(side);
                Thread.ofPlatform().daemon().name("orders").start(() -> partner.read(input));
                partner.serve();
            }
        }
    }

    private void read(BufferedReader input) {
        try {
            String line = input.readLine();
            while (line != null) {
                order = line;
                line = input.readLine();
            }
        } catch (IOException e) {
            System.err.println("the other process cannot be heard: " + e);
        }
        order = END;
    }

    private void serve() {
        String served = "";
        while (!served.equals(END)) {
            if (!served.equals(order)) {
                served = order;
                if (served.startsWith(FabricPair.PLAIN)) {
                    side.messages().begin(Integer.parseInt(served.substring(FabricPair.PLAIN.length())));
                }
                System.out.println(served);
            }
            if (served.isEmpty()) {
                Thread.onSpinWait();
            } else if (served.equals(FabricPair.OPERATIONS)) {
                side.plain().poll(this);
            } else if (served.startsWith(FabricPair.PLAIN)) {
                servePlain();
            } else if (served.startsWith(FabricPair.POLLED)) {
                servePolled(Integer.parseInt(served.substring(FabricPair.POLLED.length())));
            } else if (!served.equals(END)) {
                serveChannel(ChannelDesign.valueOf(served));
            }
        }
    }

    private void servePlain() {
        side.plain().poll(this);
        owesAnswer |= side.messages().receive();
        if (owesAnswer && side.messages().send()) {
            owesAnswer = false;
        }
    }

    private void serveChannel(ChannelDesign design) {
        side.progress(design);
        sendBack(side.channel(design));
    }

    private void servePolled(int count) {
        side.progressOfPolled();
        for (int i = 0; i < count; i++) {
            sendBack(side.polled().get(i));
        }
    }

    private static void sendBack(Channel channel) {
        channel.poll((memory, offset, length) -> {
            if (!channel.send(memory, offset, length)) {
                throw new IllegalStateException("no room for an answer");
            }
        }, 1);
    }

    @Override
    public void completed(int context) {
    }

    @Override
    public void arrived(int data) {
        side.messages().arrived();
    }

    @Override
    public void failed(int context, FabricException reason) {
        throw reason;
    }
}
