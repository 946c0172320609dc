/**
 * Large contiguous puts and gets of other nodes' memory by the network adapter, without messages: {@code RankAdapter}
 * writes and reads the regions of their servers. Everything here is guarded by the lock of {@code Links}; threads that
 * wait there make the adapter's progress, too.
 *
 * <p>Data is copied through memory of the adapter's own ({@code Bounce}), as no arena of Java tells when it is closed,
 * and the adapter would go on with memory that something else uses. It reads and writes memory of a caller itself when
 * the transfer is large, the caller waits, and nobody can free the memory meanwhile ({@code CallersMemory}); with most
 * providers such memory has to be registered ({@code Registrations}).
 */
package org.tributary.client.adapter;
