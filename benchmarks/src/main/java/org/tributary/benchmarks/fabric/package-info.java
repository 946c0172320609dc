/**
 * Costs of libfabric's providers on this machine, and of Veloblock channels on them ({@code tributary bench fabric}).
 * Each process has one thread that polls.
 */
package org.tributary.benchmarks.fabric;
