package org.tributary.client.window;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.tributary.client.Gas;
import org.tributary.client.Group;
import org.tributary.client.error.AccessConflictException;
import org.tributary.client.window.RmaOperation.Kind;

/**
 * Looks for conflicting accesses: of this rank by itself, of different ranks through an {@link AccessJournal} at each
 * target. Two accesses of different ranks conflict when they are made in the same fence epoch, in the same exposure
 * epoch of the target, or under shared locks between whose unlocks and flushes both are. Exclusive locks keep conflicts
 * out by themselves. An access that does not fit into the journal is compared with those of others, but not the other
 * way round. Owned by one window.
 */
final class ConflictCheck implements AccessCheck {
    private static final int KIND_SHIFT = 56;
    private static final long FENCE = 1L << KIND_SHIFT;
    private static final long EXPOSURE = 2L << KIND_SHIFT;
    private static final long LOCK = 3L << KIND_SHIFT;

    private record Queued(int member, List<Access> accesses) {
    }

    private final String window;
    private final Group group;
    private final AccessJournal journal;
    private final List<List<Access>> own = new ArrayList<>();
    private final List<Queued> queued = new ArrayList<>();
    private final boolean[] exclusive;
    private final long[] exposures;
    private List<Access> latest = List.of();
    private boolean inJournal;
    private long fences;

    /** Collective. */
    ConflictCheck(String window, Gas gas, Group group) {
        this.window = window;
        this.group = group;
        this.journal = new AccessJournal(gas, group);
        this.exclusive = new boolean[group.size()];
        this.exposures = new long[group.size()];
        for (int member = 0; member < group.size(); member++) {
            own.add(new ArrayList<>());
        }
    }

    @Override
    public void operation(RmaOperation operation, int member, long displacement, Epochs.Access access,
        boolean isReady) {
        List<Access> accesses = Access.of(operation, displacement);
        for (Access one : accesses) {
            for (Access other : own.get(member)) {
                if (one.conflictsWith(other)) {
                    throw conflict(Access.kind(access), member, one, group.rank(), other);
                }
            }
        }
        inJournal = false;
        if (!isReady) {
            queued.add(new Queued(member, accesses));
        } else if (access == Epochs.Access.FENCE) {
            compare(FENCE | fences, member, accesses);
        } else if (access == Epochs.Access.START) {
            compare(exposure(member), member, accesses);
        } else if (!exclusive[member]) {
            compare(LOCK, member, accesses);
        }
        own.get(member).addAll(accesses);
        latest = accesses;
    }

    @Override
    public void withdraw(RmaOperation operation, int member) {
        queued.removeIf(each -> each.accesses == latest);
        List<Access> accesses = own.get(member);
        accesses.subList(accesses.size() - latest.size(), accesses.size()).clear();
        if (inJournal) {
            journal.takeBack(member, latest.size());
        }
    }

    private long exposure(int member) {
        if (exposures[member] == 0) {
            exposures[member] = journal.exposureOf(member);
        }
        return EXPOSURE | exposures[member];
    }

    private void compare(long epoch, int member, List<Access> accesses) {
        boolean appended = journal.append(member, epoch, accesses);
        try {
            journal.visit(member, epoch, (other, there) -> {
                for (Access one : accesses) {
                    if (one.conflictsWith(there)) {
                        throw conflict(kind(epoch), member, one, other, there);
                    }
                }
            });
        } catch (AccessConflictException e) {
            if (appended) {
                journal.takeBack(member, accesses.size());
            }
            throw e;
        }
        inJournal = appended;
    }

    private static String kind(long epoch) {
        return switch ((int) (epoch >>> KIND_SHIFT)) {
            case 1 -> "fence epoch";
            case 2 -> "exposure epoch";
            default -> "epoch of shared locks";
        };
    }

    private AccessConflictException conflict(String epoch, int member, Access access, int other, Access there) {
        return Access.conflict(window, group, epoch, member, access, other, there);
    }

    @Override
    public void fenced() {
        fences++;
        own.forEach(List::clear);
    }

    @Override
    public void posts() {
        journal.beginExposure();
    }

    @Override
    public boolean hasQueued() {
        return !queued.isEmpty();
    }

    @Override
    public RuntimeException looksAtQueued() {
        AccessConflictException first = null;
        for (Queued each : queued) {
            try {
                compare(exposure(each.member), each.member, each.accesses);
            } catch (AccessConflictException e) {
                first = first == null ? e : first;
            }
        }
        queued.clear();
        return first;
    }

    @Override
    public void completed() {
        queued.clear();
        own.forEach(List::clear);
        Arrays.fill(exposures, 0);
    }

    @Override
    public void locked(int member, boolean isExclusive) {
        if (member == ALL) {
            Arrays.fill(exclusive, isExclusive);
        } else {
            exclusive[member] = isExclusive;
        }
    }

    @Override
    public void flushes(int member) {
        forget(member, false);
    }

    @Override
    public void getsDone(int member) {
        forget(member, true);
    }

    private void forget(int member, boolean onlyGets) {
        for (int each = 0; each < own.size(); each++) {
            List<Access> accesses = own.get(each);
            if ((member == ALL || member == each)
                && accesses.removeIf(access -> !onlyGets || access.kind() == Kind.GET)) {
                journal.keep(each, LOCK, accesses);
            }
        }
    }

    @Override
    public void close() {
        journal.close();
    }
}
