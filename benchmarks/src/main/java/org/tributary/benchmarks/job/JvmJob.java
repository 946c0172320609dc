package org.tributary.benchmarks.job;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.MutexSet;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.server.CommunicationServer;
import org.tributary.wire.ServerAddress;

/**
 * A job whose servers and ranks all live in this JVM, each rank a thread that waits for work, asleep: real sockets,
 * real shared memory, and nothing but the servers between ranks of different nodes.
 */
public final class JvmJob implements AutoCloseable {
    private static final int SECRET_BYTES = 32;
    private static final long LIMIT_SECONDS = 60;
    private static final SecureRandom RANDOM = new SecureRandom();

    /** Handles of one rank: for the job, memory of all ranks, and a mutex of each. */
    public record Rank(Gas gas, GlobalMemory memory, MutexSet mutexes) {
    }

    /** The program of a rank. */
    public interface Work<T> {
        /** On the rank's thread. */
        T run(Rank rank) throws Exception;
    }

    private final Path addresses = Files.createTempFile("tributary-servers", ".txt");
    private final List<CommunicationServer> servers = new ArrayList<>();
    private final List<ExecutorService> threads = new ArrayList<>();
    private final List<Rank> ranks;

    /** Starts it; each rank has {@code bytes} of memory and a mutex. */
    public JvmJob(Topology topology, Settings settings, long bytes) throws IOException {
        byte[] secret = new byte[SECRET_BYTES];
        RANDOM.nextBytes(secret);
        String jobId = "bench-" + HexFormat.of().toHexDigits(RANDOM.nextLong());
        JobEnvironment.Builder job = JobEnvironment.builder().jobId(jobId).secret(secret).topology(topology)
            .serversFile(addresses);
        try {
            List<String> lines = new ArrayList<>();
            for (int node = 0; node < topology.nodeCount(); node++) {
                servers.add(CommunicationServer.start(job.node(node).build(), settings));
                lines.add(ServerAddress.format(servers.get(node).address()));
            }
            // Servers look at it meanwhile: it is there as a whole, or not at all.
            Path whole = Files.write(addresses.resolveSibling(addresses.getFileName() + ".new"), lines);
            Files.move(whole, addresses, StandardCopyOption.ATOMIC_MOVE);
            List<JobEnvironment> environments = IntStream.range(0, topology.rankCount())
                .mapToObj(rank -> job.node(topology.nodeOf(rank)).rank(rank).build()).toList();
            environments.forEach(environment -> threads.add(Executors.newSingleThreadExecutor(
                Thread.ofPlatform().daemon().name("rank-" + environment.rank()).factory())));
            List<Future<Rank>> attached = new ArrayList<>();
            for (int rank = 0; rank < threads.size(); rank++) {
                JobEnvironment environment = environments.get(rank);
                attached.add(threads.get(rank).submit(() -> {
                    Gas gas = Gas.attach(environment, settings);
                    return new Rank(gas, gas.allocate(bytes), gas.createMutexes(1));
                }));
            }
            ranks = await(attached);
        } catch (IOException | RuntimeException e) {
            stop();
            throw e;
        }
    }

    private static <T> List<T> await(List<Future<T>> futures) {
        List<T> results = new ArrayList<>();
        try {
            for (Future<T> future : futures) {
                results.add(future.get(LIMIT_SECONDS, TimeUnit.SECONDS));
            }
            return results;
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("a rank failed: " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** For the caller's thread to work with, while the rank's own sleeps. */
    public Rank rank(int number) {
        return ranks.get(number);
    }

    /** One rank works, the others sleep. */
    public <T> T on(int rank, Work<T> work) {
        return on(List.of(rank), work).getFirst();
    }

    /** Some ranks work, and begin together. */
    public <T> List<T> on(Collection<Integer> numbers, Work<T> work) {
        CountDownLatch ready = new CountDownLatch(numbers.size());
        List<Future<T>> results = new ArrayList<>();
        for (int number : numbers) {
            results.add(threads.get(number).submit(() -> {
                ready.countDown();
                ready.await();
                return work.run(ranks.get(number));
            }));
        }
        return await(results);
    }

    /** All ranks work, and begin together. */
    public <T> List<T> onAll(Work<T> work) {
        return on(IntStream.range(0, threads.size()).boxed().toList(), work);
    }

    @Override
    public void close() throws IOException {
        try {
            onAll(rank -> {
                rank.mutexes().close();
                rank.memory().close();
                rank.gas().close();
                return null;
            });
        } finally {
            stop();
        }
    }

    private void stop() throws IOException {
        threads.forEach(ExecutorService::shutdownNow);
        servers.forEach(CommunicationServer::close);
        Files.deleteIfExists(addresses);
    }
}
