/** A matrix product with dynamic load balance, in the manner of NWChem's task loops. */
package org.tributary.miniapps.matmul;
