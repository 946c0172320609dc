/** Programs of the module mini-apps, timed as wholes. The main thread of each rank. */
package org.tributary.benchmarks.miniapps;
