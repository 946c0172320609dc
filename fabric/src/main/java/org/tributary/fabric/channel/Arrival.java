package org.tributary.fabric.channel;

/** How a receiver knows that a message is there. */
public enum Arrival {
    /** It polls the message's flag. The last byte of a write has to be its last, and no write may overtake another. */
    FLAG,
    /** Each write carries its number to the receiver's completions. Bytes and writes may come in any order. */
    COMPLETION
}
