/**
 * Jobs in the JVM that measures, and the command that starts others. One thread starts and ends a job; in this JVM each
 * rank has one, which sleeps between work.
 */
package org.tributary.benchmarks.job;
