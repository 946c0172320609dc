/**
 * The network adapter: reads and writes in memory of other processes, which it executes by itself, through libfabric.
 *
 * <p>A {@link org.tributary.fabric.Fabric} is libfabric, if it is there. A {@link org.tributary.fabric.Provider} is a
 * kind of adapter that it knows, a {@link org.tributary.fabric.Domain} one that is open, an
 * {@link org.tributary.fabric.Endpoint} a place in it that sends and is written to. A
 * {@link org.tributary.fabric.Region} is memory that the adapter may touch, a
 * {@link org.tributary.fabric.RemoteRegion} such memory of another process.
 *
 * <p>One thread at a time uses a domain and everything that belongs to it: its owner, or who holds its owner's lock.
 * Closing an object closes what was made of it first. Operations that are under way then have no completion. Memory of
 * a region must outlive the region: its arena is closed after it.
 */
package org.tributary.fabric;
