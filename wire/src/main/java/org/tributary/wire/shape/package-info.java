/**
 * Shapes of memory that a transfer touches, and what is done to the bytes there. Shared by ranks and servers, so that a
 * transfer means the same whichever way it travels. No object here is thread-safe; each belongs to one transfer.
 */
package org.tributary.wire.shape;
