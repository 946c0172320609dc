/**
 * Limits of the machine without this project: raw TCP between two processes and plain copies of shared memory. Every
 * benchmark result is stated as a ratio to one of these. Everything here runs on the one thread of the rank that
 * measures or answers; only a {@link org.tributary.benchmarks.limits.Watchdog} has a thread of its own.
 */
package org.tributary.benchmarks.limits;
