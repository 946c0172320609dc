/** A matrix product with dynamic load balance, in the manner of NWChem's task loops. One thread in each rank. */
package org.tributary.miniapps.matmul;
