package org.tributary.client.window;

import org.tributary.client.Gas;
import org.tributary.client.Group;
import org.tributary.client.RmaOperation;

/** Looks for conflicting accesses. */
final class ConflictCheck implements AccessCheck {
    ConflictCheck(String window, Gas gas, Group group) {
    }

    @Override
    public void operation(RmaOperation operation, int member, long low, long high) {
    }

    @Override
    public void accessEnds(int member) {
    }

    @Override
    public void free() {
    }
}
