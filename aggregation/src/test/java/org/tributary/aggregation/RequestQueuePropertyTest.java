package org.tributary.aggregation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.tributary.aggregation.RequestQueue.Kind;

class RequestQueuePropertyTest {
    private record Request(Kind kind, int source, long position, int length, int waiter, long form, long value) {
    }

    @Property(tries = 100)
    void shouldGiveBackWhatWasPutInWhenItGrowsAndWrapsAround(@ForAll long seed) {
        Random random = new Random(seed);
        RequestQueue queue = new RequestQueue();
        ArrayDeque<Request> model = new ArrayDeque<>();
        for (int step = 0; step < 500; step++) {
            if (random.nextInt(5) < 3) {
                Request request = new Request(Kind.values()[random.nextInt(4)], random.nextInt(9), random.nextLong(),
                    random.nextInt(), random.nextInt(), random.nextLong(), random.nextLong());
                long number = queue.add(request.kind, request.source, request.position, request.length, request.waiter);
                queue.describe(number, 1, 2, 3, request.form, request.value);
                assertEquals(queue.tail() - 1, number);
                model.add(request);
            } else if (!model.isEmpty()) {
                long first = queue.head();
                assertEquals(model.remove(), new Request(queue.kind(first), queue.source(first),
                    queue.position(first), queue.length(first), queue.waiter(first), queue.form(first),
                    queue.value(first)));
                queue.remove();
            }
            assertEquals(model.size(), queue.tail() - queue.head());
        }
        assertTrue(queue.isEmpty() == model.isEmpty());
    }
}
