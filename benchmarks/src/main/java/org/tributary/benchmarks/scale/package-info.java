/** One real server with thousands of connections of stub ranks. One thread uses all of it. */
package org.tributary.benchmarks.scale;
