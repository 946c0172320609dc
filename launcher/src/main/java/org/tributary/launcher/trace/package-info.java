/** Traces of ranks ({@link org.tributary.wire.shm.TraceLayout}), read after or during the job. Any thread. */
package org.tributary.launcher.trace;
