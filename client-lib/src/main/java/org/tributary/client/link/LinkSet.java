package org.tributary.client.link;

import java.util.Arrays;

/**
 * Some of a rank's connections, so that whoever looks for them need not go through all. Entering and leaving take the
 * same time however many there are. Guarded by the lock of {@link Links}.
 */
final class LinkSet {
    /** How many sets a connection can be in. */
    static final int SETS = 4;
    /** Where a connection is in a set that it is not in. */
    static final int ABSENT = -1;

    private static final ServerLink[] NONE = {};

    private final int number;
    private ServerLink[] members = new ServerLink[8];
    private int count;

    /** An empty set; {@code number} tells it from the other sets of the same connections. */
    LinkSet(int number) {
        this.number = number;
    }

    boolean isEmpty() {
        return count == 0;
    }

    int size() {
        return count;
    }

    /** In no order; a connection that leaves makes room for the last one. */
    ServerLink get(int index) {
        return members[index];
    }

    void add(ServerLink link) {
        int[] places = link.places();
        if (places[number] != ABSENT) {
            return;
        }
        if (count == members.length) {
            members = Arrays.copyOf(members, 2 * count);
        }
        places[number] = count;
        members[count++] = link;
    }

    void remove(ServerLink link) {
        int[] places = link.places();
        int at = places[number];
        if (at == ABSENT) {
            return;
        }
        places[number] = ABSENT;
        ServerLink last = members[--count];
        members[count] = null;
        if (last != link) {
            members[at] = last;
            last.places()[number] = at;
        }
    }

    /** What is in the set now. */
    ServerLink[] toArray() {
        return count == 0 ? NONE : Arrays.copyOf(members, count);
    }
}
