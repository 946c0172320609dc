/** Launchers whose jobs do nothing: how long they take, and how much memory. One thread uses all of it. */
package org.tributary.benchmarks.start;
