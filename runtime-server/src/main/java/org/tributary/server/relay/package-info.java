/**
 * Requests for other nodes: kept, passed on over channels between servers, and their answers brought back. Knows the
 * connections that they come from as {@link org.tributary.server.relay.Source}. Owned by the event loop.
 *
 * <p>Limits: a source that has requests for other nodes has one receive ring of {@code cooperation.channel-bytes}; a
 * request that is passed on takes half of it at most, its payload and that of its answer 1 KiB less. A rank's
 * connection is not read while its ring has no room for the longest request, or while more bytes of answers are due to
 * it than the ring has; another server keeps to its credit, and one that does not is cut off. The rings of all sources
 * fit {@code cooperation.server-bytes}, which is checked before anything starts; they are kept for the next source,
 * never freed. {@code cooperation.server-connections} ranks of other nodes are admitted to a direct connection.
 */
package org.tributary.server.relay;
