/**
 * Computations of a rank on its own: loops over rows and tiles of plain memory. Nothing here communicates, waits or
 * checks bounds beyond what memory segments do. Loops are written so that HotSpot's C2 compiles them to vector
 * instructions. Products of large tiles may take a library in C. Any thread.
 */
package org.tributary.globalarrays.kernel;
