package org.tributary.client.adapter;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.tributary.client.error.GasException;
import org.tributary.fabric.FabricException;

/** Pieces of transfers that are under way, or wait until the adapter has room. Guarded by the lock of the links. */
final class Pieces {
    /** Hears of failures for which nobody may wait. */
    interface FailureListener {
        /** A piece has failed. */
        void failed(Transfer transfer, TargetNode target, GasException why);
    }

    private final Bounce bounce;
    private final FailureListener listener;
    /** By slot of {@link Bounce}. */
    private final Piece[] pieces = new Piece[Bounce.SLOTS];
    private final Piece[] underWay = new Piece[Bounce.SLOTS];
    private final Backlog backlog = new Backlog();
    private int count;
    private long begun;

    /** None yet. */
    Pieces(Bounce bounce, FailureListener listener) {
        this.bounce = bounce;
        this.listener = listener;
        Arrays.setAll(pieces, Piece::new);
    }

    /** How many are under way or wait. */
    int count() {
        return count;
    }

    /** How many have begun so far. */
    long begun() {
        return begun;
    }

    /** Begins a piece with as much of the blocks as a free slot holds. */
    void begin(int slot, TargetNode target, Transfer transfer, TargetNode.Part part, MemorySegment memory,
        Blocks blocks) {
        Piece piece = pieces[slot].begin(target, transfer, part, memory, ++begun, blocks);
        try {
            piece.prepare(bounce);
        } catch (RuntimeException | Error e) {
            bounce.give(slot);
            throw e;
        }
        underWay[slot] = piece;
        transfer.begunPiece(piece.blocks());
        target.begun(transfer.reads(), System.nanoTime());
        count++;
        if (backlog.oldest(target.node()) != null || !tryToBegin(piece)) {
            backlog.add(piece);
        } else {
            endIfDone(piece);
        }
    }

    /** Begins what the adapter had no room for; a node that is never reached has so much time. */
    void beginWaiting(Iterable<TargetNode> targets, long timeoutNs, Object endpoint) {
        if (backlog.isEmpty()) {
            return;
        }
        for (TargetNode target : targets) {
            int node = target.node();
            boolean late = backlog.oldest(node) != null && target.isUnreachedAfter(timeoutNs, System.nanoTime());
            while (backlog.oldest(node) != null && (late || tryToBegin(backlog.oldest(node)))) {
                Piece piece = backlog.take(node);
                if (late) {
                    piece.stop(piece.transfer().failed("node " + node
                        + " has not been reached within attach.timeout by " + endpoint));
                }
                endIfDone(piece);
            }
        }
    }

    /** False when the adapter has no room. */
    private boolean tryToBegin(Piece piece) {
        try {
            return piece.begin(bounce);
        } catch (FabricException | IllegalStateException e) {
            piece.stop(piece.transfer().failed(e.getMessage()));
            return true;
        }
    }

    /** An operation of the piece in a slot has ended. */
    void completed(int slot) {
        underWay[slot].ended(null);
        endIfDone(underWay[slot]);
    }

    /** An operation of the piece in a slot has failed; false when there is none. */
    boolean failed(int slot, FabricException reason) {
        Piece piece = underWay[slot];
        if (piece == null) {
            return false;
        }
        piece.ended(piece.transfer().failed(reason.getMessage()));
        endIfDone(piece);
        return true;
    }

    /** Nothing that is under way ends by itself any more: all of it has failed. */
    void failAll(String why) {
        backlog.clear();
        for (Piece piece : underWay.clone()) {
            if (piece != null) {
                end(piece, piece.transfer().failed(why));
            }
        }
    }

    private void endIfDone(Piece piece) {
        if (piece.hasEnded()) {
            end(piece, piece.failure());
        }
    }

    private void end(Piece piece, GasException why) {
        GasException failure = why;
        Transfer transfer = piece.transfer();
        if (failure == null && transfer.reads() && !transfer.isDropped()) {
            try {
                piece.drain(bounce);
            } catch (RuntimeException e) {
                failure = transfer.failed("its destination cannot be written: " + e);
            }
        }
        underWay[piece.slot()] = null;
        bounce.give(piece.slot());
        count--;
        piece.target().ended(transfer.reads(), why == null);
        if (why != null) {
            piece.target().failed();
        }
        if (failure != null) {
            listener.failed(transfer, piece.target(), failure);
        }
        piece.release();
        transfer.endedPiece(failure);
    }

    /** Whether the pieces up to a number have ended, at a node, or at all of them for -1. */
    boolean haveEnded(int node, long last) {
        for (int slot = 0; slot < underWay.length && count > 0; slot++) {
            Piece piece = underWay[slot];
            if (piece != null && piece.number() <= last && (node < 0 || piece.target().node() == node)) {
                return false;
            }
        }
        return true;
    }

    /** The oldest at a node, or null. */
    Piece oldest(TargetNode target) {
        Piece oldest = null;
        for (Piece piece : underWay) {
            if (piece != null && piece.target() == target && (oldest == null || piece.number() < oldest.number())) {
                oldest = piece;
            }
        }
        return oldest;
    }

    /** Memory of callers is touched no more: gets have failed. */
    void letGo(GasException why) {
        for (Piece piece : underWay) {
            if (piece != null && piece.transfer().reads()) {
                piece.transfer().drop();
                piece.transfer().fail(why);
            }
        }
    }

    /** Whether the adapter itself uses memory of callers. */
    boolean useCallersMemory() {
        for (int slot = 0; slot < underWay.length && count > 0; slot++) {
            if (underWay[slot] != null && underWay[slot].transfer().direct() != null) {
                return true;
            }
        }
        return false;
    }
}
