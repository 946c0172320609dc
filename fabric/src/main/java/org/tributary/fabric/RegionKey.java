package org.tributary.fabric;

/**
 * Key with which another process reads and writes a region: a secret of the job.
 *
 * @param base  where it begins, as the provider counts
 * @param key   the provider's
 * @param bytes its length
 */
public record RegionKey(long base, long key, long bytes) {
}
