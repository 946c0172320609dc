/** Calling C functions. Uses no other package. */
package org.tributary.wire.libc;
