/** The first operations of a job, against later ones. One thread of a rank uses all of it. */
package org.tributary.benchmarks.cold;
