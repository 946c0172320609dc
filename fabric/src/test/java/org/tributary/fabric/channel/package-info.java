/** Channels under a network that tears, reorders and repeats writes, and over providers of libfabric. */
package org.tributary.fabric.channel;
