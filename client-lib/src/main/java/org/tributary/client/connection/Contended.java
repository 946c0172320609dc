package org.tributary.client.connection;

import org.tributary.wire.shm.WaitKind;

/**
 * A lock that a request asks for, and that another rank may hold.
 *
 * @param rank    at which it is
 * @param segment that holds its word
 * @param index   among those of that rank
 */
public record Contended(WaitKind kind, int rank, long segment, long index) {
}
