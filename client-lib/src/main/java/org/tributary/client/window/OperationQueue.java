package org.tributary.client.window;

import java.util.ArrayList;
import java.util.List;
import org.tributary.client.error.FirstFailure;
import org.tributary.client.remote.Handle;

/** Operations on one target that wait, in the order of their issue. Entries are reused. Owned by one window. */
final class OperationQueue {
    private final List<RmaOperation> entries = new ArrayList<>();
    private final FirstFailure failures = new FirstFailure();
    private int size;
    private int gets;

    /** Appends a copy, if it can be executed at all. */
    void add(RmaOperation operation) {
        operation.check();
        if (size == entries.size()) {
            entries.add(new RmaOperation());
        }
        entries.get(size++).set(operation);
        if (operation.kind() == RmaOperation.Kind.GET) {
            gets++;
        }
    }

    int size() {
        return size;
    }

    RmaOperation first() {
        return entries.get(0);
    }

    /** Whether the operation that {@link #issue} issues last is answered with data, which acknowledges everything. */
    boolean endsWithData() {
        return gets > 0 || size > 0 && entries.get(size - 1).returnsData();
    }

    /**
     * Issues everything, plain gets last (Thakur, Gropp, Toonen 2004, 4.3), and forgets it. Throws the first failure
     * afterwards.
     *
     * @param then what follows the last operation at the target, or 0; follows although an operation has failed
     */
    void issue(WindowTransport transport, int then, Handle handle) {
        int left = size;
        for (int i = 0; i < size; i++) {
            if (entries.get(i).kind() != RmaOperation.Kind.GET) {
                issue(transport, entries.get(i), --left == 0 ? then : 0, handle);
            }
        }
        for (int i = 0; i < size && left > 0; i++) {
            if (entries.get(i).kind() == RmaOperation.Kind.GET) {
                issue(transport, entries.get(i), --left == 0 ? then : 0, handle);
            }
        }
        clear();
        failures.rethrow();
    }

    private void issue(WindowTransport transport, RmaOperation operation, int then, Handle handle) {
        boolean follows = operation.joinsOthers() && !transport.isLocal(operation.rank());
        try {
            transport.issue(operation, follows ? 0 : then, handle);
        } catch (RuntimeException e) {
            failures.note(e);
            follows = true; // what could not be issued carries nothing
        }
        if (follows && then != 0) {
            failures.attempt(() -> transport.completeLast(operation.rank(), then));
        }
    }

    void clear() {
        for (int i = 0; i < size; i++) {
            entries.get(i).release();
        }
        size = 0;
        gets = 0;
    }
}
