/**
 * Forwards requests for other nodes over channels between servers, and brings their answers back. Knows the connections
 * of the requests as {@link org.tributary.server.relay.Source}. Owned by the event loop.
 *
 * <p>Limits: a source that has requests for other nodes has one receive ring of {@code cooperation.channel-bytes}. A
 * forwarded request takes half of it at most; its payload, and that of its answer, has at most 1 KiB less. The server
 * does not read a rank's connection while its ring has no room for the longest request. It does not read any source
 * while more bytes of answers are due to it than the ring has, nor while more than {@code cooperation.channel-bytes} /
 * 32 of its requests are under way, without those that wait for locks. Other servers keep to their credit; the channel
 * of one that does not is closed. The rings of all sources fit {@code cooperation.server-bytes}, which is checked
 * before anything starts; they are kept for the next source, never freed. {@code cooperation.server-connections} ranks
 * of other nodes are admitted to a direct connection.
 */
package org.tributary.server.relay;
