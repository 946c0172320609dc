/**
 * Large contiguous puts and gets of other nodes' memory by the network adapter, without messages: {@code RankAdapter}
 * writes and reads the regions of their servers. Everything here is guarded by the lock of {@code Links}; threads that
 * wait there make the adapter's progress, too.
 *
 * <p>The adapter copies data through memory of its own ({@code Bounce}). It never reads or writes memory of callers: no
 * arena of Java tells when it is closed, and the adapter would then go on with memory that something else uses.
 */
package org.tributary.client.adapter;
