/**
 * {@code tributary bench cooperation}: the figures of Que et al., Network-Friendly One-Sided Communication Through
 * Multinode Cooperation, at the paper's numbers of processes, in the simulator; its costs are measured here as well.
 * One thread.
 */
package org.tributary.benchmarks.cooperation;
