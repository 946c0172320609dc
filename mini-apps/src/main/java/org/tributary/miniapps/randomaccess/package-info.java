/** RandomAccess of the HPC Challenge: giga-updates per second of random words of a distributed table. */
package org.tributary.miniapps.randomaccess;
