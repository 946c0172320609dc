/**
 * JMH benchmarks of the path that stays on the node, where an operation takes nanoseconds and the clock of the
 * one-sided suite would be most of the result. Each trial has a server and two ranks of its own in the benchmark's JVM.
 * Threads are JMH's. {@code Reductions} needs no job; {@code --include Reductions} runs it.
 */
package org.tributary.benchmarks.onnode;
