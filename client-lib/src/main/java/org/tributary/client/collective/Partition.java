package org.tributary.client.collective;

/** A buffer divided into consecutive parts, some of which may be empty. */
interface Partition {
    int parts();

    /** Byte at which a part begins; for {@code part == parts()} the bytes of the buffer. */
    long start(int part);
}
