/** The cost of a job that does nothing. Every rank runs this on its main thread; no other thread is involved. */
package org.tributary.benchmarks.idle;
