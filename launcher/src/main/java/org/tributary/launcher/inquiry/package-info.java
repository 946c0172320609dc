/**
 * Questions about jobs, on other hosts and from other processes, and who answers them. A question is answered by a
 * thread of its own, never by the one that runs the job.
 */
package org.tributary.launcher.inquiry;
