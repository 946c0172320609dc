/**
 * Exchange of messages between neighbours in a periodic grid of ranks, by every synchronization of windows and by
 * plain messages, behind one interface: {@link org.tributary.miniapps.exchange.Exchange}. Each object belongs to the
 * one thread of its rank.
 */
package org.tributary.miniapps.exchange;
