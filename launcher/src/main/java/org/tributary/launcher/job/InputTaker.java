package org.tributary.launcher.job;

/** Taker of the input of rank 0: its process, or the way to it. */
public interface InputTaker {
    /** Takes the first bytes of {@code bytes}, perhaps after a wait; returns whether it still reads. */
    boolean give(byte[] bytes, int length);

    /** There is no more. */
    void closeInput();
}
