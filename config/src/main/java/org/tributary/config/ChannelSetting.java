package org.tributary.config;

/**
 * To how many ranks a server gives a block for their requests, and how these use it.
 *
 * @param count      0 for none
 * @param blockBytes of a block
 */
record ChannelSetting(int count, ChannelDesign design, int blockBytes) {
}
