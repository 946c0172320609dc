/**
 * Shapes of memory that a transfer touches, and the operations on the bytes there. Ranks and servers share it, so a
 * transfer means the same in shared memory and over a connection. No object here is thread-safe; each belongs to one
 * transfer.
 */
package org.tributary.wire.shape;
