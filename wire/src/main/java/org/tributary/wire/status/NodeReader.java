package org.tributary.wire.status;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.tributary.config.ProcessFiles;
import org.tributary.wire.RankState;
import org.tributary.wire.shm.CallLayout;
import org.tributary.wire.shm.CountsFile;
import org.tributary.wire.shm.LockWords;
import org.tributary.wire.shm.NodeDirectory;
import org.tributary.wire.shm.NodeView;
import org.tributary.wire.shm.OpenFile;
import org.tributary.wire.shm.SegmentKind;
import org.tributary.wire.shm.SegmentLayout;
import org.tributary.wire.shm.SegmentParts;
import org.tributary.wire.shm.WaitKind;
import org.tributary.wire.shm.WindowLayout;
import org.tributary.wire.status.NodeDetails.Lock;
import org.tributary.wire.status.NodeDetails.LockName;
import org.tributary.wire.status.NodeDetails.Member;

/**
 * Reads what the files of a node say of it, as another process of the same user. It maps nothing and writes nothing, so
 * files may be damaged, truncated or removed meanwhile.
 */
public final class NodeReader {
    private static final Pattern CONTROLS = Pattern.compile("\\p{Cntrl}");

    private final NodeDirectory directory;
    /** Processes that have the node's control file mapped, with the time when they began. */
    private final Map<Long, String> ownProcesses = new ConcurrentHashMap<>();
    /** When the node's lock was made; 0 until that has been seen. */
    private volatile long madeMs;

    public NodeReader(NodeDirectory directory) {
        this.directory = directory;
    }

    /**
     * How the node is now.
     *
     * @throws IOException when it has no control file of this version any more
     */
    public NodeStatus read() throws IOException {
        return status(NodeView.read(directory.control()));
    }

    /**
     * The same with what its server has counted, and how long calls of its ranks have taken.
     *
     * @throws IOException as {@link #read()}
     */
    public NodeSnapshot snapshot(NodeDetails.Questions questions) throws IOException {
        NodeView.Whole control = NodeView.readWhole(directory.control());
        return new NodeSnapshot(status(control.node()), read(questions), counts(), control.latencies());
    }

    private ServerCounts counts() {
        try {
            return ServerCounts.decode(CountsFile.read(directory.counts()));
        } catch (IOException | IllegalArgumentException e) {
            return ServerCounts.NONE; // the server starts or ends, or its file was overwritten
        }
    }

    private NodeStatus status(NodeView view) {
        String name = directory.path().getFileName().toString().substring(NodeDirectory.PREFIX.length());
        String job = name.substring(0, name.lastIndexOf('-'));
        List<NodeStatus.Rank> ranks = new ArrayList<>();
        for (NodeView.Rank rank : view.ranks()) {
            ranks.add(rank(view, rank));
        }
        return new NodeStatus(job, view.node(), view.layout(), view.jobRanks(), view.jobNodes(),
            ageNs(), view.serverPid(), process(view.serverPid(), view.isServerPresent(),
                ProcessFiles.of(view.serverPid()).stat()), ranks);
    }

    private NodeStatus.Rank rank(NodeView view, NodeView.Rank rank) {
        long nowNs = System.nanoTime();
        List<NodeStatus.Wait> waits = new ArrayList<>();
        boolean hasLeft = false;
        for (NodeView.Wait wait : rank.waits()) {
            if (wait.kind() == WaitKind.LEFT) {
                hasLeft = true;
                continue;
            }
            long peers = switch (wait.kind().peer()) {
                case RANK -> view.jobRanks();
                case NODE -> view.jobNodes();
                case NONE, TOKEN -> Integer.MAX_VALUE;
            };
            long peer = wait.peer() < peers ? wait.peer() : -1;
            waits.add(new NodeStatus.Wait(wait.kind(), (int) peer, wait.segment(), wait.number(),
                Math.max(0, nowNs - wait.sinceNs())));
        }
        waits.sort((one, other) -> Long.compare(other.ageNs(), one.ageNs()));
        ProcessFiles.Stat stat = rank.pid() == 0 ? ProcessFiles.Stat.NONE : ProcessFiles.of(rank.pid()).stat();
        ProcessState process = rank.pid() == 0 ? ProcessState.NONE : process(rank.pid(), rank.isPresent(), stat);
        // Its server may be stopped, and read its goodbye later.
        RankState state = hasLeft && rank.state() == RankState.ATTACHED ? RankState.LEAVING : rank.state();
        return new NodeStatus.Rank(rank.rank(), state, rank.pid(), process,
            process.isActive() && process != ProcessState.LIVES ? cpuTicks(stat) : -1, rank.blocked(),
            process == ProcessState.GONE ? List.of() : waits, rank.isHarmed());
    }

    /** Where it is present but cannot be found, processes are numbered otherwise there than here. */
    private ProcessState process(long pid, boolean isPresent, ProcessFiles.Stat stat) {
        if (!isPresent || !isOwn(pid, stat.of(ProcessFiles.BEGAN))) {
            return isPresent ? ProcessState.LIVES : ProcessState.GONE;
        }
        return switch (stat.of(ProcessFiles.STATE)) {
            case "T" -> ProcessState.STOPPED;
            case "t" -> ProcessState.DEBUGGED;
            case "", "Z", "X" -> ProcessState.LIVES; // it has just ended
            default -> ProcessState.RUNS;
        };
    }

    /** Whether the process that has that number here is of this node: each of them has the control file mapped. */
    private boolean isOwn(long pid, String began) {
        if (!began.isEmpty() && began.equals(ownProcesses.get(pid))) {
            return true;
        }
        Path path = directory.control();
        String file = "/" + path.getParent().getFileName() + "/" + path.getFileName();
        boolean isOwn = ProcessFiles.of(pid).text("maps").lines()
            .anyMatch(line -> line.endsWith(file) || line.endsWith(file + " (deleted)"));
        if (isOwn) {
            ownProcesses.put(pid, began);
        }
        return isOwn;
    }

    private static long cpuTicks(ProcessFiles.Stat stat) {
        try {
            return Long.parseLong(stat.of(ProcessFiles.USER_TICKS))
                + Long.parseLong(stat.of(ProcessFiles.SYSTEM_TICKS));
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    private long ageNs() {
        long ms = madeMs;
        if (ms == 0) {
            try (Stream<Path> files = Files.list(directory.path())) {
                Optional<Path> lock = files.filter(NodeDirectory::isLock).findFirst();
                ms = Files.getLastModifiedTime(lock.orElse(directory.control())).toMillis();
                madeMs = lock.isPresent() ? ms : 0; // it stays as it was made, and the control file does not
            } catch (IOException e) {
                return 0;
            }
        }
        return Math.max(0, System.currentTimeMillis() - ms) * 1_000_000;
    }

    /** State on this node of the objects that ranks wait for; objects that cannot be read are left out. */
    public NodeDetails read(NodeDetails.Questions questions) {
        List<Member> members = new ArrayList<>();
        for (long group : questions.groups()) {
            members(group, true, members);
        }
        for (long window : questions.windows()) {
            members(window, false, members);
        }
        List<Lock> locks = new ArrayList<>();
        questions.locks().forEach(name -> lock(name).ifPresent(locks::add));
        return new NodeDetails(members, locks);
    }

    private void members(long segment, boolean hasCalls, List<Member> to) {
        Optional<SegmentParts> parts = SegmentParts.read(directory.parts(segment));
        if (parts.isEmpty()) {
            return;
        }
        SegmentLayout layout = parts.get().layout();
        try (OpenFile file = OpenFile.of(directory.segment(segment))) {
            for (int part = 0; part < layout.partCount(); part++) {
                to.add(new Member(segment, layout.rank(part), hasCalls
                    ? call(file, layout.offset(part), layout.length(part)) : fenceStep(file, layout.offset(part))));
            }
        } catch (IOException e) { // without a file, nothing is known of their calls
            for (int part = 0; part < layout.partCount(); part++) {
                to.add(new Member(segment, layout.rank(part), null));
            }
        }
    }

    private static CallDescription fenceStep(OpenFile window, long part) {
        ByteBuffer word = bytes(window, part + WindowLayout.FENCE_STEP, Long.BYTES);
        return word == null ? null : CallDescription.fenceStep(word.getLong(0));
    }

    /** The call that stands at the end of a part of a segment, or null when what stands there is none. */
    private static CallDescription call(OpenFile segment, long part, long partBytes) {
        ByteBuffer bytes = partBytes < CallLayout.BYTES ? null
            : bytes(segment, part + partBytes - CallLayout.BYTES, CallLayout.BYTES);
        if (bytes == null) {
            return null;
        }
        int length = Math.clamp(bytes.getInt((int) CallLayout.LENGTH_OFFSET), 0,
            CallLayout.BYTES - (int) CallLayout.TEXT_OFFSET);
        CallDescription call = new CallDescription(bytes.getLong((int) CallLayout.NUMBER_OFFSET),
            bytes.getLong((int) CallLayout.KEY_OFFSET), bytes.getLong((int) CallLayout.WHAT_OFFSET),
            bytes.getLong((int) CallLayout.BYTES_OFFSET), bytes.getLong((int) CallLayout.SUBJECT_OFFSET),
            printable(new String(bytes.array(), (int) CallLayout.TEXT_OFFSET, length, StandardCharsets.UTF_8)));
        return call.isWhole() ? call : null;
    }

    /** A terminal takes some characters for commands. */
    private static String printable(String text) {
        return text.isEmpty() ? text : CONTROLS.matcher(text).replaceAll("?");
    }

    private Optional<Lock> lock(LockName name) {
        Optional<SegmentParts> parts = SegmentParts.read(directory.parts(name.segment()));
        if (parts.isEmpty()) {
            return Optional.empty();
        }
        SegmentLayout layout = parts.get().layout();
        OptionalInt part = IntStream.range(0, layout.partCount()).filter(i -> layout.rank(i) == name.rank()).findAny();
        boolean isWindow = parts.get().kind() == SegmentKind.WINDOW;
        if (part.isEmpty() || parts.get().kind() == SegmentKind.DATA) {
            return Optional.empty();
        }
        long offset = isWindow ? LockWords.windowOffset() : LockWords.mutexOffset(name.index());
        if (offset < 0 || offset > layout.length(part.getAsInt()) - Long.BYTES) {
            return Optional.empty();
        }
        try (OpenFile file = OpenFile.of(directory.segment(name.segment()))) {
            ByteBuffer word = bytes(file, layout.offset(part.getAsInt()) + offset, Long.BYTES);
            return word == null ? Optional.empty() : Optional.of(new Lock(name, LockWords.holder(word.getLong(0)),
                isWindow ? LockWords.shared(word.getLong(0)) : 0));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** So many bytes from there on; null when it ends before, or the place is none. */
    private static ByteBuffer bytes(OpenFile segment, long at, int length) {
        try {
            ByteBuffer bytes = segment.read(at, length);
            return bytes.limit() == length ? bytes : null;
        } catch (IOException e) {
            return null;
        }
    }
}
