package org.tributary.client.link;

/** Something that a thread waits for. Asked with the lock of {@link Links} held. */
public interface Awaited {
    boolean isDone();
}
