package org.tributary.fabric;

/** Is told by {@link Endpoint#poll} what has happened. It may start operations, but must not poll or close. */
public interface CompletionHandler {
    /** Of a failure, when the provider does not say which operation failed: the endpoint can no longer be used. */
    int UNKNOWN = -1;

    /** An operation is complete, whose {@code context} was this. */
    void completed(int context);

    /** Somebody has written here and sent these data with it. All bytes of that write are visible. */
    void arrived(int data);

    /** An operation has failed: {@code context}, or {@link #UNKNOWN}. */
    void failed(int context, FabricException reason);
}
