/** Jobs in the JVM that measures. One thread starts and ends a job; each rank has one, which sleeps between work. */
package org.tributary.benchmarks.job;
