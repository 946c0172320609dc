/**
 * The network adapter of a node: an endpoint through which ranks of other nodes read and write the node's segments. A
 * loop of its own owns what belongs to libfabric. The server's event loop asks it to register memory and to close
 * regions, and is told there.
 *
 * <p>Why not the event loop itself: registering pins memory, which takes seconds for many gigabytes; a provider without
 * a descriptor to sleep on has to be looked at again and again; and jobs without an adapter keep the loop they had.
 */
package org.tributary.server.adapter;
