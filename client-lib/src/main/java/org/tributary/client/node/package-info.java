/**
 * The rank's own node: the control file, the mapped parts of segments, and accesses to them, memory to memory. Any
 * thread of the rank.
 */
package org.tributary.client.node;
