package org.tributary.config;

/** How the bytes of connections between nodes travel, once both sides have proved themselves. */
public enum NetworkEncryption {
    /** In the clear. */
    NONE,
    /** In records encrypted by the processes themselves with AES-GCM. */
    AES_GCM,
    /** In records of TLS 1.3 that the kernel encrypts with AES-GCM. */
    KTLS
}
