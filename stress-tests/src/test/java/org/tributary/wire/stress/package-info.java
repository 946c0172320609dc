/**
 * Races on every structure in shared memory, run by jcstress in JVMs of its own ({@link StressTest}). Each outcome
 * has a name; any that is not listed is forbidden. Memory is native, as it is in a job.
 */
package org.tributary.wire.stress;
