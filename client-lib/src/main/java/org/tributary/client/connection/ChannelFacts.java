package org.tributary.client.connection;

import org.tributary.config.ChannelDesign;

/**
 * A block to which a rank may write requests with the network adapter, as its server tells.
 *
 * @param provider     of the server's adapter
 * @param address      of the server's endpoint
 * @param base         where the block's region begins, as the provider counts
 * @param key          of the region
 * @param bytes        of the region
 * @param number       of the channel at the server
 * @param byCompletion whether writes tell the server when they are complete; otherwise it looks at flags
 * @param design       how the block is used; null when it is none of this version
 */
public record ChannelFacts(String provider, byte[] address, long base, long key, long bytes, int number,
                           boolean byCompletion, ChannelDesign design) {
}
