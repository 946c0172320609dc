package org.tributary.launcher.node;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.stream.Stream;
import org.tributary.config.Settings;
import org.tributary.server.connection.BindAddress;
import org.tributary.wire.socket.BindFailure;

/** Whether the server of a host can listen where it is to, tried before there is one. Stateless. */
public final class ServerPorts {
    private ServerPorts() {
    }

    /** Problems of its ports, which are free again afterwards; empty when it can listen at all of them. */
    public static List<String> problems(Settings settings) {
        try (ServerSocket requests = new ServerSocket(); ServerSocket metrics = new ServerSocket()) {
            return Stream.of(listen(requests, settings), settings.serverMetricsPort() < 0 ? ""
                : listen(metrics, settings.serverMetricsAddress(), "server.metrics-address",
                    settings.serverMetricsPort(), "server.metrics-port")).filter(why -> !why.isEmpty()).toList();
        } catch (IOException e) {
            return List.of("no socket: " + e.getMessage());
        }
    }

    /** Has {@code socket} listen for requests as the server would; returns why it cannot, or nothing. */
    public static String listen(ServerSocket socket, Settings settings) {
        try {
            return listen(socket, BindAddress.of(settings), "server.bind-address", settings.serverPort(),
                "server.port");
        } catch (IOException e) {
            return e.getMessage(); // names the setting
        }
    }

    private static String listen(ServerSocket socket, String address, String addressKey, int port, String portKey) {
        try {
            socket.bind(new InetSocketAddress(new NameLookup().address(address), port));
            return "";
        } catch (IOException e) {
            return BindFailure.describe(address, addressKey, port, portKey, e);
        }
    }
}
