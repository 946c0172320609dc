package org.tributary.client.window;

import java.util.Map;
import java.util.Set;
import org.tributary.client.Group;
import org.tributary.client.error.FirstFailure;
import org.tributary.client.remote.Handle;
import org.tributary.wire.shm.LatencyKind;
import org.tributary.wire.shm.LatencySample;

/**
 * Post-start-complete-wait of one window, immediate and deferred. A post is one flag at each origin, the end of an
 * access epoch one at each target: each member has a word for either, so it is known for whom a rank waits. Automatic:
 * deferred, until so many bytes wait that sending them at once pays and every target has posted.
 */
final class ExposureSync {
    private final Group group;
    private final WindowTransport transport;
    private final Handle handle;
    private final Handle prompt;
    private final EpochDesign design;
    private final long eagerBytes;
    private final CostModel model;
    private final EpochTargets targets;
    private final long[] posts;
    private final long[] ends;
    private final LatencySample times;
    private final FirstFailure failures = new FirstFailure();
    private int[] accessed = {};
    private int[] origins = {};
    private boolean issuing;
    private boolean checked;
    private long queuedBytes;
    private boolean lastIssued;
    private long lastBytes;
    private int lastTargets;
    private boolean heldUp;
    private boolean lastHeldUp;

    /**
     * As described.
     *
     * @param prompt for operations that are waited for as soon as they are issued
     * @param model  null unless the design is automatic
     */
    ExposureSync(Group group, WindowTransport transport, Handle handle, Handle prompt, EpochDesign design,
        CostModel model) {
        this.group = group;
        this.transport = transport;
        this.handle = handle;
        this.prompt = prompt;
        this.design = design;
        this.model = model;
        this.eagerBytes = model == null ? Long.MAX_VALUE : model.eagerBytes(1);
        this.targets = new EpochTargets(group.size());
        this.posts = new long[group.size()];
        this.ends = new long[group.size()];
        this.times = transport.times(LatencyKind.WINDOW_EPOCH);
    }

    /** Exposes the own part to some members. */
    void post(int[] members, Set<Assertion> assertions) {
        origins = members;
        if (!assertions.contains(Assertion.NOCHECK)) {
            for (int member : members) {
                transport.signalPost(group.worldRank(member));
            }
            transport.flush();
        }
        for (int member : members) {
            ends[member]++;
        }
    }

    /** Begins an access epoch towards some members. */
    void start(int[] targetMembers, Set<Assertion> assertions) {
        accessed = targetMembers;
        checked = !assertions.contains(Assertion.NOCHECK);
        queuedBytes = 0;
        heldUp = false;
        issuing = design == EpochDesign.IMMEDIATE;
        if (issuing) {
            long began = times.begin();
            awaitPosts();
            times.ended(began);
        }
    }

    /** Waits until all targets of the access epoch have posted. */
    void awaitPosts() {
        if (checked) {
            for (int member : accessed) {
                transport.awaitPosts(group.worldRank(member), posts[member] + 1);
            }
            for (int member : accessed) {
                posts[member]++; // only now: a wait that fails has used no post
            }
            checked = false;
        }
    }

    /** Whether a target of the access epoch has posted. */
    boolean isPosted(int member) {
        return !checked || transport.hasPosted(group.worldRank(member), posts[member] + 1);
    }

    private boolean allPosted() {
        for (int member : accessed) {
            if (!isPosted(member)) {
                return false;
            }
        }
        return true;
    }

    void operation(RmaOperation operation, int member) {
        targets.touch(member, operation.length(), operation.kind().writes());
        if (!issuing) {
            targets.queue(member).add(operation);
            queuedBytes += operation.length();
            if (queuedBytes >= eagerBytes) {
                heldUp = !allPosted();
                if (!heldUp) {
                    push();
                }
            }
        } else {
            transport.issue(operation, 0, handle);
        }
    }

    /** Issues what is queued, and everything that follows at once. */
    void push() {
        if (!issuing) {
            awaitPosts();
            issuing = true;
            targets.forEach(member -> failures.attempt(() -> targets.queue(member).issue(transport, 0, handle)));
            failures.rethrow();
        }
    }

    /** Ends the access epoch; every target that has posted hears of it, whatever fails. */
    void complete() {
        long began = times.begin();
        failures.attempt(this::awaitPosts);
        if (issuing) {
            failures.attempt(() -> transport.await(handle)); // a count must not overtake the data of a get
        }
        for (int member : accessed) {
            if (isPosted(member)) {
                posts[member] += checked ? 1 : 0; // has posted, but another one has not
                failures.attempt(() -> end(member));
            }
        }
        failures.attempt(transport::flush);
        failures.attempt(() -> transport.await(prompt));
        failures.attempt(transport::throwFailures);
        lastIssued = issuing;
        lastHeldUp = heldUp;
        lastBytes = targets.bytes();
        lastTargets = accessed.length;
        targets.clear();
        accessed = new int[0];
        failures.rethrow();
        times.ended(began);
    }

    private void end(int member) {
        if (issuing) {
            transport.completeLast(group.worldRank(member), transport.thenEnd());
        } else if (targets.queue(member).size() == 0) {
            transport.complete(group.worldRank(member), transport.thenEnd());
        } else {
            targets.queue(member).issue(transport, transport.thenEnd(), prompt);
        }
    }

    /** Whether every origin's access epoch has ended. */
    boolean test() {
        transport.flush();
        for (int member : origins) {
            if (!transport.hasEnded(member, ends[member])) {
                return false;
            }
        }
        return true;
    }

    /** Waits until every origin's access epoch has ended. */
    void await() {
        long began = times.begin();
        transport.flush();
        for (int member : origins) {
            transport.awaitEnds(member, ends[member]);
        }
        times.ended(began);
    }

    Choice choice() {
        if (model == null || lastTargets == 0) {
            return null;
        }
        return new Choice(lastIssued ? EpochDesign.IMMEDIATE.name() : EpochDesign.DEFERRED.name(),
            Map.of("IMMEDIATE", (2 * model.alphaNs() + model.leftNs(lastBytes)) / 1e3,
                "DEFERRED", (model.alphaNs() + model.bytesNs(lastBytes)) / 1e3),
            lastBytes + " bytes to " + lastTargets + " targets, " + CostModel.sentAtOnce(eagerBytes)
                + (lastHeldUp ? " when all have posted, which they had not; " : " when all have posted; ") + model);
    }
}
