/**
 * Channels of small messages that arrive by remote writes into memory that is polled, in the four designs of Koop et
 * al., "Veloblock: Efficient and Scalable RDMA Fast Path for InfiniBand". {@code docs/fabric.md} is the contract.
 *
 * <p>A {@link org.tributary.fabric.channel.Channel} is one side of a pair of processes. Its sender composes messages as
 * the {@link org.tributary.fabric.channel.ChannelShape} says and hands them to a
 * {@link org.tributary.fabric.channel.RemoteWrite}; its receiver finds them in memory that the other side writes to.
 * {@link org.tributary.fabric.channel.FabricChannels} are those of an endpoint of libfabric. One thread at a time uses
 * a channel.
 */
package org.tributary.fabric.channel;
