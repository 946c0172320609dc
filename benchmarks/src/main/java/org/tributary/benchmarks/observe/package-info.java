/**
 * The cost of watching a job. One thread starts the jobs and takes what they say; another one reads the events of a
 * page. In the jobs every rank works on its main thread.
 */
package org.tributary.benchmarks.observe;
