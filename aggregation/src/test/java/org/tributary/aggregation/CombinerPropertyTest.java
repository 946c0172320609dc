package org.tributary.aggregation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.tributary.aggregation.RequestQueue.Kind;

/** What a queue holds is compared with lists of what was asked for: a request, and those that became one with it. */
class CombinerPropertyTest {
    private static final int SOURCES = 4;
    private static final int WORDS = 3;

    private record Asked(int source, int number, Kind kind, long word) {
    }

    private final RequestQueue queue = new RequestQueue();
    private final Combiner combiner = new Combiner(queue);
    private final Map<Long, List<Asked>> waiting = new HashMap<>();
    private final int[] asked = new int[SOURCES];
    private final int[] left = new int[SOURCES];
    private int joined;

    @Property(tries = 200)
    void shouldKeepOrderOfEachSourceAndJoinOnlyEqualOnes(@ForAll long seed) {
        new CombinerPropertyTest().run(seed);
    }

    private void run(long seed) {
        Random random = new Random(seed);
        int most = 3 + random.nextInt(20);
        for (int step = 0; step < 600; step++) {
            if (queue.tail() - queue.head() >= most || random.nextInt(3) == 0 && !queue.isEmpty()) {
                leave();
            } else {
                ask(random);
            }
        }
        while (!queue.isEmpty()) {
            leave();
        }
        assertTrue(Arrays.equals(asked, left), "lost");
        assertTrue(joined > 0, "none joined");
    }

    private void ask(Random random) {
        int source = random.nextInt(SOURCES);
        Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
        Asked request = new Asked(source, asked[source]++, kind, random.nextInt(WORDS));
        boolean mayJoin = kind == Kind.FETCH_AND_ADD || kind == Kind.ACCUMULATE;
        long mate = mayJoin ? combiner.find(kind, source, 1, 0, request.word, 8) : -1;
        if (mate >= 0) {
            joined++;
            waiting.get(mate).add(request);
            combiner.queued(mate, source);
            return;
        }
        long number = queue.add(kind, source, 0, 8, 0);
        queue.describe(number, 1, 0, request.word, 8, 0);
        combiner.queued(number, source);
        if (mayJoin) {
            combiner.offer(number, kind, 1, 0, request.word, 8);
        }
        waiting.put(number, new ArrayList<>(List.of(request)));
    }

    private void leave() {
        List<Asked> together = waiting.remove(queue.head());
        queue.remove();
        for (Asked request : together) {
            assertEquals(left[request.source]++, request.number, "order of source " + request.source);
            assertEquals(together.getFirst().kind, request.kind);
            assertEquals(together.getFirst().word, request.word);
        }
    }
}
