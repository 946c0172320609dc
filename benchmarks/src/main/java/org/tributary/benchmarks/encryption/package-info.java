/** What it costs that data between nodes is encrypted. Each class belongs to the thread that uses it. */
package org.tributary.benchmarks.encryption;
