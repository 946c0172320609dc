/** Programs of the module mini-apps, timed as wholes. */
package org.tributary.benchmarks.miniapps;
