/** Stress tests of channels in memory that two processors use at a time. {@code StressTest} runs them. */
package org.tributary.fabric.stress;
