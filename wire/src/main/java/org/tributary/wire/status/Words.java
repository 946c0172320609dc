package org.tributary.wire.status;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.tributary.wire.RankState;
import org.tributary.wire.shm.CollectiveLayout;
import org.tributary.wire.shm.WaitKind;
import org.tributary.wire.shm.WaitSlots;
import org.tributary.wire.status.NodeDetails.Lock;
import org.tributary.wire.status.NodeStatus.Rank;
import org.tributary.wire.status.NodeStatus.Wait;

/** How people are told of states, waits and times. */
public final class Words {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final long MINUTE_S = 60;
    private static final long HOUR_S = 60 * MINUTE_S;
    private static final long DAY_S = 24 * HOUR_S;
    private static final int MAX_RANGES = 12;

    private Words() {
    }

    /** A time such as {@code 12.3 s}, {@code 5 min 12 s}, {@code 3 h 20 min}. */
    public static String age(long ns) {
        long seconds = ns / SECOND_NS;
        if (seconds < MINUTE_S) {
            return seconds + "." + ns / (SECOND_NS / 10) % 10 + " s";
        }
        if (seconds < HOUR_S) {
            return seconds / MINUTE_S + " min " + seconds % MINUTE_S + " s";
        }
        return seconds < DAY_S ? seconds / HOUR_S + " h " + seconds % HOUR_S / MINUTE_S + " min"
            : seconds / DAY_S + " d " + seconds % DAY_S / HOUR_S + " h";
    }

    /** Ascending numbers such as {@code 0-3, 7}; very long lists are cut off. */
    public static String ranges(Collection<Integer> numbers) {
        List<Integer> all = List.copyOf(numbers);
        List<String> ranges = new ArrayList<>();
        for (int from = 0; from < all.size();) {
            int to = from;
            while (to + 1 < all.size() && all.get(to + 1) == all.get(to) + 1) {
                to++;
            }
            if (ranges.size() == MAX_RANGES) {
                return String.join(", ", ranges) + " and " + (all.size() - from) + " more";
            }
            ranges.add(to == from ? all.get(from).toString()
                : all.get(from) + (to == from + 1 ? ", " : "-") + all.get(to));
            from = to + 1;
        }
        return String.join(", ", ranges);
    }

    /** {@code rank 3} or {@code ranks 0-2, 5}. */
    public static String ranks(Collection<Integer> numbers) {
        return (numbers.size() == 1 ? "rank " : "ranks ") + ranges(numbers);
    }

    /** {@code all ranks} or {@code group 1f}; {@code segment} is that of its inboxes. */
    public static String group(long segment) {
        return segment == CollectiveLayout.WORLD_SEGMENT ? "all ranks" : "group " + Long.toHexString(segment);
    }

    /** The state of a rank that does not wait, as the predicate of a sentence. */
    public static String state(Rank rank) {
        if (rank.state() == RankState.DEPARTED) {
            return "has left the job in good order";
        }
        if (rank.isLeaving()) {
            return "has left; requests of it still wait at its server";
        }
        if (rank.state() == RankState.EXPECTED) {
            return "has not attached yet";
        }
        if (rank.state() == RankState.DEAD || rank.process() == ProcessState.GONE) {
            return "has died";
        }
        return rank.process() == ProcessState.STOPPED ? rank.process().words()
            : rank.waits().isEmpty() ? "computes" : "waits";
    }

    /** The object of a wait, in words that follow "waits for". */
    public static String wait(JobStatus job, int rank, Wait wait) {
        long segment = wait.segment();
        String server = wait.peer() < 0 ? "several servers" : "the server of node " + wait.peer();
        return switch (wait.kind()) {
            case NONE, LEFT -> "nothing";
            case ANSWER -> "an answer of " + server;
            case FENCE -> server + " to execute what it was sent (fence)";
            case OPERATIONS -> "its operations at " + server;
            case ROOM -> server + " to read what it is sent";
            case CONNECTION -> "a connection to " + server;
            case MUTEX -> "mutex " + wait.number() + " of rank " + wait.peer() + holder(job.lockOf(wait));
            case WINDOW_LOCK -> "the lock of the part of rank " + wait.peer() + " of window "
                + Long.toHexString(segment) + holder(job.lockOf(wait));
            case COLLECTIVE -> others(wait.peer()) + " in " + call(job, rank, wait);
            case FLAG -> "a flag of its own, which " + others(wait.peer()) + " is to set (segment "
                + Long.toHexString(segment) + ", offset " + wait.number() + ")";
            case NOTIFICATION -> "notification " + wait.number() + " of rank " + wait.peer();
            case WINDOW_FENCE -> "operations of others, in a fence of window " + Long.toHexString(segment);
            case WINDOW_READY -> "others to begin an epoch of window " + Long.toHexString(segment);
            case WINDOW_COMPLETE -> others(wait.peer()) + " to end an access epoch of window "
                + Long.toHexString(segment);
            case WINDOW_POST -> others(wait.peer()) + " to expose its part of window " + Long.toHexString(segment);
            case ACCUMULATE -> "an accumulate that another process of its node has begun";
        };
    }

    private static String others(int rank) {
        return rank < 0 ? "another rank" : "rank " + rank;
    }

    /** The collective, its number and its group. */
    static String call(JobStatus job, int rank, Wait wait) {
        CallDescription call = job.callOf(wait.segment(), rank);
        String words = call == null || call.number() != wait.number() ? "a collective" : call.words();
        return words + ", call " + wait.number() + " of " + group(wait.segment());
    }

    private static String holder(Lock lock) {
        return lock == null ? ""
            : lock.shared() > 0 ? ", shared by " + lock.shared() + (lock.shared() == 1 ? " rank" : " ranks")
            : lock.holder() >= 0 ? ", held by rank " + lock.holder() : ", held by nobody at the moment";
    }

    /** State and wait of a rank in one sentence without its subject. */
    public static String sentence(JobStatus job, Rank rank) {
        Wait wait = JobStatus.waitOf(rank);
        String harm = rank.isHarmed() ? " (what it says of itself was overwritten: a stray store?)" : "";
        if (wait == null || !rank.isAttached() || !rank.process().isActive()) {
            return state(rank) + harm;
        }
        return "waits for " + wait(job, rank.rank(), wait) + ", for " + age(wait.ageNs()) + others(rank.waits()) + harm;
    }

    /** There is room for the waits of some threads; further ones appear when one of these goes on. */
    private static String others(List<Wait> waits) {
        int others = waits.size() - 1;
        return others < 1 || waits.get(1).kind() == WaitKind.ANSWER ? ""
            : "; " + (waits.size() < WaitSlots.SLOTS ? "" : "at least ") + others + " more of its threads wait";
    }
}
