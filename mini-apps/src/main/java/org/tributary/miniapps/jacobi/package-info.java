/** A stencil with halo exchange: Laplace's equation on the unit square. */
package org.tributary.miniapps.jacobi;
