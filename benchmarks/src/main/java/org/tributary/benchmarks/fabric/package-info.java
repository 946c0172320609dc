/**
 * What libfabric's providers on this machine cost, and Veloblock channels on them ({@code tributary bench fabric}).
 * Each process has one thread that polls.
 */
package org.tributary.benchmarks.fabric;
