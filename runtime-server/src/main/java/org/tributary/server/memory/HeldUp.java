package org.tributary.server.memory;

import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.tributary.server.observe.GuardedTasks;
import org.tributary.server.observe.ServerLog;

/**
 * Work that waits for a lock of accumulates whose holder does not run at the moment, or is stopped. It is tried again
 * now and then, while the event loop serves all other connections. Each loop has its own, and owns it.
 */
public final class HeldUp {
    static final long FIRST_PAUSE_NS = 50_000;
    static final long LONGEST_PAUSE_NS = 2_000_000;
    static final long SAID_AFTER_NS = TimeUnit.SECONDS.toNanos(5);
    /** What began to wait so little later than what is told of, waits for the same reason. */
    private static final long ALIKE_NS = TimeUnit.SECONDS.toNanos(1);

    /**
     * What somebody does that may be held up, now and again. The longer it waits for one lock, the longer are the
     * pauses; how others get on does not matter.
     */
    public final class Entry {
        private final Runnable work;
        private boolean isSameWait;
        private long sinceNs;
        private long pauseNs;
        private long dueNs;

        private Entry(Runnable work) {
            this.work = work;
        }

        /** Does it later; if it is still held up then, it comes here again. */
        public void later() {
            long nowNs = tasks.nanoTime();
            if (isSameWait) {
                pauseNs = Math.min(2 * pauseNs, LONGEST_PAUSE_NS);
                longestWaitNs = Math.max(longestWaitNs, nowNs - sinceNs);
            } else {
                isSameWait = true;
                sinceNs = nowNs;
                pauseNs = FIRST_PAUSE_NS;
            }
            dueNs = nowNs + pauseNs;
            await(this, nowNs);
        }

        /** It has what it waited for: when it is held up next, a new wait begins. */
        public void gotOn() {
            isSameWait = false;
        }
    }

    private final ServerLog log;
    private final Supplier<String> holder;
    private final Consumer<Throwable> onFault;
    private final GuardedTasks tasks;
    private final GuardedTasks.Alarm alarm;
    private final List<Entry> waiting = new ArrayList<>();
    private final List<Entry> due = new ArrayList<>();
    private boolean isTrying;
    private boolean isAlarmSet;
    private long alarmNs;
    /** Of what has been held up again and nothing has been said of yet. */
    private long longestWaitNs;
    private boolean hasWaitedLong;
    private long lastWaitedLongNs;
    /** Read by other loops, too. */
    private volatile int size;

    /** {@code holder} names the process that holds one of the locks now. */
    HeldUp(EventExecutor loop, ServerLog log, Supplier<String> holder, Consumer<Throwable> onFault) {
        this.log = log;
        this.holder = holder;
        this.onFault = onFault;
        this.tasks = new GuardedTasks(loop, onFault);
        this.alarm = tasks.alarm(this::tryAgain);
    }

    /** How much of it there is; any thread. */
    public int size() {
        return size;
    }

    /** Something that does not wait yet. */
    public Entry entry(Runnable work) {
        return new Entry(work);
    }

    private void await(Entry entry, long nowNs) {
        waiting.add(entry);
        if (!isTrying) {
            size = waiting.size();
            sayIfLong(nowNs);
            if (!isAlarmSet || entry.dueNs - alarmNs < 0) {
                setAlarm(entry.dueNs, nowNs);
            }
        }
    }

    private void setAlarm(long atNs, long nowNs) {
        isAlarmSet = true;
        alarmNs = atNs;
        alarm.after(Math.max(0, atNs - nowNs));
    }

    private void tryAgain() {
        isAlarmSet = false;
        takeDue(tasks.nanoTime());
        isTrying = true;
        for (int i = 0; i < due.size(); i++) {
            try {
                due.get(i).work.run();
            } catch (RuntimeException | Error e) {
                onFault.accept(e);
            }
        }
        isTrying = false;
        due.clear();
        size = waiting.size();
        if (!waiting.isEmpty()) {
            long nowNs = tasks.nanoTime();
            sayIfLong(nowNs);
            long leftNs = LONGEST_PAUSE_NS;
            for (int i = 0; i < waiting.size(); i++) {
                leftNs = Math.min(leftNs, waiting.get(i).dueNs - nowNs);
            }
            setAlarm(nowNs + leftNs, nowNs);
        }
    }

    private void takeDue(long nowNs) {
        int left = 0;
        for (int i = 0; i < waiting.size(); i++) {
            Entry entry = waiting.get(i);
            if (entry.dueNs - nowNs <= 0) {
                due.add(entry);
            } else {
                waiting.set(left++, entry);
            }
        }
        waiting.subList(left, waiting.size()).clear();
    }

    /**
     * Says it once, until nothing has waited so long for as long a time; when all that wait are in the list again, so
     * that it counts them.
     */
    private void sayIfLong(long nowNs) {
        long waitedNs = longestWaitNs;
        longestWaitNs = 0;
        if (waitedNs <= SAID_AFTER_NS) {
            return;
        }
        if (!hasWaitedLong || nowNs - lastWaitedLongNs > SAID_AFTER_NS) {
            long count = waiting.stream().filter(entry -> nowNs - entry.sinceNs > SAID_AFTER_NS - ALIKE_NS).count();
            log.heldUp((int) count, waitedNs, holder.get());
        }
        hasWaitedLong = true;
        lastWaitedLongNs = nowNs;
    }
}
