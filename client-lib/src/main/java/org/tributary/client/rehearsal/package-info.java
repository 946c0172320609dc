/** A program from whose run the cache of classes of ranks is made. */
package org.tributary.client.rehearsal;
