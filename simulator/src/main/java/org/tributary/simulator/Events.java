package org.tributary.simulator;

import java.util.PriorityQueue;

/** Future events, in the order of time, and of scheduling where times are equal. */
final class Events {
    private final PriorityQueue<Event> queue = new PriorityQueue<>();
    private long nowNs;
    private long scheduled;
    private long executed;

    long nowNs() {
        return nowNs;
    }

    long executed() {
        return executed;
    }

    void at(long timeNs, Runnable action) {
        if (timeNs < nowNs) {
            throw new IllegalArgumentException(timeNs + " is before " + nowNs);
        }
        queue.add(new Event(timeNs, scheduled++, action));
    }

    /** Lets everything happen; a job that never ends is found by the number of its events. */
    void run(long limit) {
        while (!queue.isEmpty()) {
            if (executed == limit) {
                throw new IllegalStateException("the job has not ended after " + limit + " events, at " + nowNs
                    + " ns");
            }
            Event event = queue.poll();
            nowNs = event.timeNs;
            executed++;
            event.action.run();
        }
    }

    private record Event(long timeNs, long order, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(timeNs, other.timeNs);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }
}
