/** A stencil with halo exchange: Laplace's equation on the unit square. One thread in each rank. */
package org.tributary.miniapps.jacobi;
