package org.tributary.benchmarks.observe;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A page that tells its one reader something, and then nothing until it is closed. */
final class EventPage implements AutoCloseable {
    private static final String HEADERS = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
    private static final long DEADLINE_S = 250;

    private final ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final CompletableFuture<String> request = new CompletableFuture<>();
    private volatile Socket accepted;

    EventPage(String told) throws IOException {
        Thread.ofPlatform().daemon().name("event-page").start(() -> answer(told));
    }

    private void answer(String told) {
        try {
            accepted = listener.accept();
            request.complete(new BufferedReader(new InputStreamReader(accepted.getInputStream(),
                StandardCharsets.UTF_8)).readLine());
            accepted.getOutputStream().write((HEADERS + told).getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            request.completeExceptionally(e);
        }
    }

    String url() {
        return "http://127.0.0.1:" + listener.getLocalPort() + "/token/";
    }

    /** The first line of what it was asked. */
    String request() throws InterruptedException, ExecutionException, TimeoutException {
        return request.get(DEADLINE_S, TimeUnit.SECONDS);
    }

    /** Its reader sees the end of it. */
    @Override
    public void close() throws IOException {
        listener.close();
        if (accepted != null) {
            accepted.close();
        }
    }
}
