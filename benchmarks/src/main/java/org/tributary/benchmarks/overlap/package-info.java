/**
 * How much computation fits between a put and its fence. Everything runs on the one thread of the rank that measures;
 * the other ranks are blocked.
 */
package org.tributary.benchmarks.overlap;
