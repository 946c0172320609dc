/**
 * One job from start to end: its servers and ranks as child processes, their output, and what happens when one fails.
 * All decisions are taken by the thread that calls {@link org.tributary.launcher.job.Job#run}; the threads that copy
 * output, reap processes and receive signals only put events into its queue.
 */
package org.tributary.launcher.job;
