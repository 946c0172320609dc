/**
 * Jobs of up to a million processes in one thread: ranks, servers and links as events, with the routes, credits,
 * windows and combining of the real servers. The same seed gives the same run.
 */
package org.tributary.simulator;
