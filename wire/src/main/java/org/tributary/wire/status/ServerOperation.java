package org.tributary.wire.status;

/** Operations as a server counts them, each with its requests and payload bytes; the code is the ordinal. */
public enum ServerOperation {
    PUT, PUT_STRIDED, PUT_VECTOR, ACCUMULATE, ACCUMULATE_STRIDED, ACCUMULATE_VECTOR, SIGNAL, NOTIFY, UNLOCK, FENCE,
    GET, GET_STRIDED, GET_VECTOR, ATOMIC, LOCK, PROBE, ALLOCATE, FREE, LOCK_WINDOW, UNLOCK_WINDOW, LOCKED_PUT,
    LOCKED_ACCUMULATE, LOCKED_GET, GET_ACCUMULATE
}
