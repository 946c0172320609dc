/** The cost of encrypting data between nodes. Each class belongs to the thread that uses it. */
package org.tributary.benchmarks.encryption;
