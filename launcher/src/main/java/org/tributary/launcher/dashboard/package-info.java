/**
 * A page that shows a job while it runs. A thread of its own takes a {@code Step} of all nodes every second, and the
 * event loop of {@code PageServer} hands each step to all readers; neither is ever waited for by the job.
 */
package org.tributary.launcher.dashboard;
