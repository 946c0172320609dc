package org.tributary.server.job;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.server.frame.MalformedFrameException;

/** The tree alone, and whole jobs of it: messages take random times, servers die at random moments. */
class ServerTreeTest {
    private static final long LONGEST_DELAY = 100;
    /** How long a server that sees a death waits for a process that knows the reason. */
    private static final long SUSPICION = 1000;

    /** A job of servers; every edge keeps the order of its messages, and its end comes behind them. */
    private static final class Simulation {
        private record Event(long time, long order, Runnable action) {
        }

        private final Random random;
        private final Node[] nodes;
        private final PriorityQueue<Event> events = new PriorityQueue<>((a, b) ->
            a.time != b.time ? Long.compare(a.time, b.time) : Long.compare(a.order, b.order));
        private long time;
        private long order;
        private long messages;

        Simulation(int count, long seed) {
            random = new Random(seed);
            nodes = new Node[count];
            for (int i = 0; i < count; i++) {
                nodes[i] = new Node(this, i, count);
            }
            for (Node node : nodes) {
                if (node.tree.parent() >= 0) {
                    at(delay(), () -> connect(node, nodes[node.tree.parent()]));
                }
            }
        }

        long delay() {
            return 1 + random.nextLong(LONGEST_DELAY);
        }

        void at(long delay, Runnable action) {
            events.add(new Event(time + delay, order++, action));
        }

        void connect(Node below, Node above) {
            if (above.dead || below.dead) {
                // Never connected: servers have a time-out for that, which the simulation makes the same as a death.
                if (!below.dead) {
                    at(SUSPICION, () -> below.abort("node " + above.number + " is gone", -1));
                } else if (!above.dead) {
                    at(SUSPICION, () -> above.abort("node " + below.number + " is gone", -1));
                }
                return;
            }
            below.tree.opened(above.number);
            above.tree.opened(below.number);
        }

        /** Behind whatever is on its way over the same edge. */
        void deliver(int from, int to, Runnable action) {
            long[] last = nodes[to].lastFrom(from);
            last[0] = Math.max(last[0], time + delay());
            events.add(new Event(last[0], order++, () -> {
                if (!nodes[to].dead) {
                    action.run();
                }
            }));
        }

        void run() {
            while (!events.isEmpty()) {
                Event event = events.poll();
                time = event.time;
                event.action.run();
            }
        }
    }

    private static final class Node implements ServerTree.Messages {
        private final Simulation job;
        private final int number;
        private final ServerTree tree;
        private final long[][] last = new long[ServerTree.ARITY + 1][1];
        private boolean dead;
        private String reason;
        private int sent;

        Node(Simulation job, int number, int count) {
            this.job = job;
            this.number = number;
            this.tree = new ServerTree(number, count, this);
        }

        private long[] lastFrom(int other) {
            return last[other == tree.parent() ? ServerTree.ARITY : other - number * ServerTree.ARITY - 1];
        }

        private Node send(int to) {
            sent++;
            job.messages++;
            return job.nodes[to];
        }

        @Override
        public void subtreeLeft(int parent) {
            Node other = send(parent);
            job.deliver(number, parent, () -> other.tree.leftBelow(number));
        }

        @Override
        public void shutdown(int neighbour) {
            Node other = send(neighbour);
            job.deliver(number, neighbour, () -> other.tree.shutdown(number));
        }

        @Override
        public void abort(int neighbour, String why) {
            Node other = send(neighbour);
            job.deliver(number, neighbour, () -> other.abort(why, number));
        }

        private void abort(String why, int from) {
            if (!tree.isOver()) {
                reason = why;
            }
            tree.abort(why, from);
        }

        void die() {
            dead = true;
            for (int other = Math.max(0, number * ServerTree.ARITY + 1); other < job.nodes.length
                && tree.isBelow(other); other++) {
                closed(other);
            }
            if (tree.parent() >= 0) {
                closed(tree.parent());
            }
        }

        private void closed(int other) {
            Node neighbour = job.nodes[other];
            if (!tree.isAwaited(other)) {
                job.deliver(number, other, () -> {
                    if (neighbour.tree.closed(number)) {
                        job.at(SUSPICION, () -> neighbour.abort("node " + number + " is gone", -1));
                    }
                });
            }
        }
    }

    private static Set<String> deaths(Simulation job) {
        return IntStream.range(0, job.nodes.length).filter(node -> job.nodes[node].dead)
            .mapToObj(node -> "node " + node + " is gone").collect(Collectors.toSet());
    }

    private static void assertAllHaveHeard(Simulation job) {
        for (Node node : job.nodes) {
            assertEquals(0, node.tree.unheard().length, () -> "node " + node.number);
        }
    }

    @Test
    void shouldKnowWhomAnotherOneTellsWhenItIsToBeGoneAround() {
        Simulation job = new Simulation(20, 1);
        assertArrayEquals(new int[] {0, 10, 11, 12, 13, 14, 15, 16}, job.nodes[9].tree.around(1));
        assertArrayEquals(new int[] {9, 10, 11, 12, 13, 14, 15, 16}, job.nodes[0].tree.around(1));
        assertArrayEquals(new int[] {2, 3, 4, 5, 6, 7, 8}, job.nodes[1].tree.around(0));
        assertArrayEquals(new int[] {0, 18, 19}, job.nodes[17].tree.around(2));
        assertArrayEquals(new int[] {}, job.nodes[2].tree.around(19));
        assertArrayEquals(new int[] {2}, job.nodes[1].tree.around(19));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8, 9, 10, 73, 3000, 100_000})
    void shouldEndEveryoneOnceWhenAllRanksLeave(int count) {
        Simulation job = new Simulation(count, count);
        for (Node node : job.nodes) {
            job.at(job.random.nextLong(10 * LONGEST_DELAY), node.tree::ranksLeft);
        }
        job.run();
        for (Node node : job.nodes) {
            assertTrue(node.tree.isOver(), () -> "node " + node.number);
            assertFalse(node.tree.isAborted());
        }
        assertEquals(3L * (count - 1), job.messages);
        assertAllHaveHeard(job);
        assertTrue(job.time <= 10 * LONGEST_DELAY + 2 * 6 * LONGEST_DELAY, () -> "at " + job.time);
    }

    @ParameterizedTest
    @CsvSource({"2, 1, 300", "10, 2, 300", "73, 8, 200", "3000, 40, 20", "100000, 2000, 1"})
    void shouldTellEverySurvivorWhoDiedWhenServersDieAtAnyMoment(int count, int deaths, int seeds) {
        for (long seed = 0; seed < seeds; seed++) {
            Simulation job = new Simulation(count, seed);
            for (Node node : job.nodes) {
                if (node.number % 7 != 3 % count) { // some ranks stay, so the job cannot just end
                    job.at(job.random.nextLong(10 * LONGEST_DELAY), node.tree::ranksLeft);
                }
            }
            for (int i = 0; i < deaths; i++) {
                Node victim = job.nodes[job.random.nextInt(count)];
                job.at(job.random.nextLong(5 * LONGEST_DELAY), victim::die);
            }
            job.run();
            Set<String> reasons = deaths(job);
            for (Node node : job.nodes) {
                String which = "node " + node.number + ", seed " + seed;
                assertTrue(node.dead || node.tree.isAborted(), () -> which + " has heard nothing");
                assertTrue(node.dead || reasons.contains(node.reason), () -> which + ": " + node.reason);
                assertTrue(node.sent <= ServerTree.ARITY + 2, () -> which + " has sent " + node.sent);
            }
            assertTrue(job.messages <= 3L * count, () -> job.messages + " messages for " + count + " servers");
        }
    }

    @ParameterizedTest
    @CsvSource({"3000, 2999", "100000, 50000"})
    void shouldTellEveryoneWhenOneFails(int count, int failing) {
        Simulation job = new Simulation(count, 1);
        job.run();
        long startTime = job.time;
        job.nodes[failing].abort("rank 7 died", -1);
        job.run();
        for (Node node : job.nodes) {
            assertEquals("rank 7 died", node.reason);
        }
        assertEquals(2L * (count - 1), job.messages);
        assertAllHaveHeard(job);
        assertTrue(job.time - startTime <= 2 * 6 * LONGEST_DELAY, () -> job.time - startTime + " for 12 hops");
    }

    @Test
    void shouldTellLateNeighbourWhenItHasMissedTheFailure() {
        List<String> said = new ArrayList<>();
        ServerTree tree = new ServerTree(1, 11, new ServerTree.Messages() {
            @Override
            public void subtreeLeft(int parent) {
                said.add("left to " + parent);
            }

            @Override
            public void shutdown(int neighbour) {
                said.add("shutdown to " + neighbour);
            }

            @Override
            public void abort(int neighbour, String reason) {
                said.add(reason + " to " + neighbour);
            }
        });
        assertArrayEquals(new int[] {9, 10, 0}, tree.awaited());
        tree.opened(9);
        tree.leftBelow(9);
        assertThrows(MalformedFrameException.class, () -> tree.leftBelow(9));
        tree.abort("failed", 9);
        tree.abort("again", -1);
        assertEquals(List.of("failed to 9"), said);
        assertArrayEquals(new int[0], tree.unheard());
        tree.opened(0);
        tree.opened(10);
        assertEquals(List.of("failed to 9", "failed to 0", "failed to 10"), said);
        assertArrayEquals(new int[] {10, 0}, tree.unheard());
        tree.abort("failed", 0);
        assertArrayEquals(new int[] {10}, tree.unheard());
        tree.closed(10);
        assertArrayEquals(new int[0], tree.unheard());
        assertEquals(0, tree.awaited().length);
        assertFalse(tree.closed(0));
    }
}
