package org.tributary.client.connection;

/**
 * How the network adapter reaches a rank's part of a segment, as the server of its node tells.
 *
 * @param provider   of the server's adapter; empty when it has none
 * @param address    of the server's endpoint
 * @param base       where the region begins, as the provider counts
 * @param key        of the region
 * @param bytes      of the region; 0 when the adapter does not reach the segment
 * @param partOffset where the part begins in the region
 */
public record RegionFacts(String provider, byte[] address, long base, long key, long bytes, long partOffset) {
}
