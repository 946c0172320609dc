/**
 * Large contiguous puts and gets of other nodes' memory by the network adapter, without messages: {@code RankAdapter}
 * writes and reads the regions of their servers. Everything here is guarded by the lock of {@code Links}; threads that
 * wait there make the adapter's progress, too.
 *
 * <p>Data passes through memory of the adapter's own ({@code Bounce}), never straight from or to memory of callers: no
 * arena of Java tells when it is closed, and an adapter would go on writing where other memory is then.
 */
package org.tributary.client.adapter;
