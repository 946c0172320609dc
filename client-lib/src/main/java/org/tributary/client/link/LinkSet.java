package org.tributary.client.link;

import java.util.Arrays;

/**
 * Some of a rank's connections, so that a thread that looks for them need not go through all. Entering and leaving take
 * the same time however many there are. Guarded by the lock of {@link Links}.
 */
final class LinkSet {
    private static final ServerLink[] NONE = {};

    private Membership[] members = new Membership[8];
    private int count;

    /** Whether one connection is in the set. */
    final class Membership {
        private static final int ABSENT = -1;

        private final ServerLink link;
        private int place = ABSENT;

        private Membership(ServerLink link) {
            this.link = link;
        }

        void enter() {
            if (place != ABSENT) {
                return;
            }
            if (count == members.length) {
                members = Arrays.copyOf(members, 2 * count);
            }
            place = count;
            members[count++] = this;
        }

        void leave() {
            if (place == ABSENT) {
                return;
            }
            Membership last = members[--count];
            members[count] = null;
            if (last != this) {
                members[place] = last;
                last.place = place;
            }
            place = ABSENT;
        }
    }

    /** Of a connection that is not in the set yet; it has one only. */
    Membership membershipOf(ServerLink link) {
        return new Membership(link);
    }

    boolean isEmpty() {
        return count == 0;
    }

    int size() {
        return count;
    }

    /** In no order; a connection that leaves makes room for the last one. */
    ServerLink get(int index) {
        return members[index].link;
    }

    /** What is in the set now. */
    ServerLink[] toArray() {
        if (count == 0) {
            return NONE;
        }
        ServerLink[] links = new ServerLink[count];
        for (int i = 0; i < count; i++) {
            links[i] = members[i].link;
        }
        return links;
    }
}
