/**
 * Programs behind {@code tributary bench}, each named in the resource {@code META-INF/tributary/benchmarks}. A
 * benchmark runs on every rank of a job; rank 0 measures and reports, on its main thread.
 */
package org.tributary.benchmarks;
