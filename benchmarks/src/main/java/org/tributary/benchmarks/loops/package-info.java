/** The price of several event loops in a server. Each class belongs to the thread that uses it. */
package org.tributary.benchmarks.loops;
