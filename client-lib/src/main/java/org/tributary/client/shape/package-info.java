/**
 * Shapes of transfers: strided regions, lists of ranges, scale factors, and checks of the caller's buffers. Any thread;
 * scratch memory belongs to one.
 */
package org.tributary.client.shape;
