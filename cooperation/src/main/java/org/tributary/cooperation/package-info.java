/**
 * Cooperation of nodes: groups of nodes, routes, credits, and the forwarding of requests. After Que et al.,
 * Network-Friendly One-Sided Communication Through Multinode Cooperation on Petascale Cray XT5 Systems; credits in
 * bytes of a receive ring after Koop et al., Veloblock.
 * <p>
 * Nothing here sends, receives, blocks or reads a clock; all state belongs to the thread that calls, which is the event
 * loop of a server or the holder of the lock of a rank's connections. So the same classes run under the network and in
 * the simulator.
 */
package org.tributary.cooperation;
