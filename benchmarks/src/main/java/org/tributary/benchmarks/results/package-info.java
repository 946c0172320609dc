/** Files of results, one form for all benchmarks, and the pages and plots made from them. Used by one thread. */
package org.tributary.benchmarks.results;
