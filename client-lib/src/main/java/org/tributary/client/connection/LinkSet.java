package org.tributary.client.connection;

import java.util.ArrayList;
import java.util.List;

/**
 * Some of a rank's connections, so that a thread that looks for them need not go through all. Adding and removing take
 * the same time however many there are. Guarded by the lock of the links.
 */
public final class LinkSet<L> {
    private final List<Membership> members = new ArrayList<>();

    /** Whether one connection is in the set. */
    final class Membership {
        private static final int ABSENT = -1;

        private final L link;
        private int place = ABSENT;

        private Membership(L link) {
            this.link = link;
        }

        void addToSet() {
            if (place == ABSENT) {
                place = members.size();
                members.add(this);
            }
        }

        void removeFromSet() {
            if (place == ABSENT) {
                return;
            }
            Membership last = members.removeLast();
            if (last != this) {
                members.set(place, last);
                last.place = place;
            }
            place = ABSENT;
        }
    }

    /** Of a connection that is not in the set yet; it has one only. */
    Membership membershipOf(L link) {
        return new Membership(link);
    }

    public boolean isEmpty() {
        return members.isEmpty();
    }

    public int size() {
        return members.size();
    }

    /** In no order; a connection that leaves makes room for the last one. */
    public L get(int index) {
        return members.get(index).link;
    }

    /** A copy of the set, in no order. */
    public List<L> toList() {
        return members.isEmpty() ? List.of() : members.stream().map(member -> member.link).toList();
    }
}
