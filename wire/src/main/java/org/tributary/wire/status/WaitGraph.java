package org.tributary.wire.status;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tributary.wire.shm.WaitKind;
import org.tributary.wire.status.NodeStatus.Rank;
import org.tributary.wire.status.NodeStatus.Wait;

/** Who waits for whom. Ranks in one call are one link, so that its size does not grow with their square. */
final class WaitGraph {
    private final JobStatus job;
    private final Map<Integer, Link> linkOf = new HashMap<>();
    private final List<Link> links = new ArrayList<>();

    /** Ranks that wait in the same call, with the same arguments if it is a collective. */
    private record Place(AwaitedCall call, WaitKind kind, long key) {
    }

    WaitGraph(JobStatus job) {
        this.job = job;
        Map<Place, Link> places = new HashMap<>();
        for (Rank rank : job.ranks()) {
            Place place = placeOf(rank);
            Link link = place == null ? newLink() : places.computeIfAbsent(place, unseen -> newLink());
            if (link.ranks.isEmpty()) {
                link.waitsFor.addAll(job.missingFor(rank)); // the same for all of a link
            }
            link.ranks.add(rank.rank());
            link.waitsFor.addAll(job.othersFor(rank));
            link.isBound &= job.isBound(rank);
            linkOf.put(rank.rank(), link);
        }
        links.forEach(this::connect);
    }

    private Link newLink() {
        Link link = new Link();
        links.add(link);
        return link;
    }

    private Place placeOf(Rank rank) {
        Wait wait = JobStatus.waitOf(rank);
        AwaitedCall awaited = wait == null || !rank.canGoOn() ? null : AwaitedCall.of(wait);
        if (awaited == null) {
            return null;
        }
        CallDescription call = wait.kind() == WaitKind.COLLECTIVE ? job.callOf(wait.segment(), rank.rank()) : null;
        return new Place(awaited, wait.kind(), call == null ? 0 : call.key());
    }

    /** What a server holds up may come from it, whatever ranks do. */
    private void connect(Link link) {
        link.ranks.forEach(rank -> link.waitsFor.remove(Party.rank(rank)));
        for (Party party : link.waitsFor) {
            Link awaited = party.isRank() ? linkOf.get(party.number()) : null;
            link.isBound &= party.isRank();
            if (awaited != null) {
                awaited.isAwaited = true;
            }
        }
    }

    List<Link> links() {
        return links;
    }

    /** The link of a rank, or null when its node is not known. */
    Link of(int rank) {
        return linkOf.get(rank);
    }

    /** Ranks that wait for each other, and that nobody else can help; no rank is in two of them. */
    List<List<Integer>> circles() {
        Walk walk = new Walk();
        links.forEach(walk::from);
        return walk.found;
    }

    /** By a stack of its own: a chain may be as long as the job has ranks. */
    private final class Walk {
        private final List<List<Integer>> found = new ArrayList<>();
        private final Set<Link> done = new HashSet<>();
        private final Set<Link> inCircles = new HashSet<>();
        private final List<Link> path = new ArrayList<>();
        /** The rank by which each link of the path is awaited. */
        private final List<Integer> entries = new ArrayList<>();
        private final List<List<Party>> open = new ArrayList<>();
        private final Map<Link, Integer> places = new HashMap<>();

        void from(Link start) {
            push(start, start.first());
            while (!path.isEmpty()) {
                List<Party> left = open.getLast();
                if (left.isEmpty()) {
                    places.remove(path.getLast());
                    done.add(path.removeLast());
                    entries.removeLast();
                    open.removeLast();
                    continue;
                }
                int next = left.removeLast().number();
                Link link = linkOf.get(next);
                if (places.containsKey(link)) {
                    close(places.get(link), next);
                } else if (link != null) {
                    push(link, next);
                }
            }
        }

        private void push(Link link, int entry) {
            if (link.isBound && !done.contains(link)) {
                places.put(link, path.size());
                path.add(link);
                entries.add(entry);
                open.add(new ArrayList<>(link.waitsFor).reversed());
            }
        }

        private void close(int at, int entry) {
            List<Link> of = path.subList(at, path.size());
            if (of.stream().noneMatch(inCircles::contains)) {
                inCircles.addAll(of);
                List<Integer> ranks = new ArrayList<>(entries.subList(at, entries.size()));
                ranks.set(0, entry);
                found.add(fromLowest(ranks));
            }
        }

        private static List<Integer> fromLowest(List<Integer> circle) {
            int lowest = circle.indexOf(circle.stream().min(Integer::compare).orElseThrow());
            List<Integer> turned = new ArrayList<>(circle.subList(lowest, circle.size()));
            turned.addAll(circle.subList(0, lowest));
            return List.copyOf(turned);
        }
    }
}
