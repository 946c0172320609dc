/** Shapes of transfers: strided regions, lists of ranges, scale factors, and checks of the caller's buffers. */
package org.tributary.client.shape;
