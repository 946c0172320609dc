/**
 * Small applications that run under {@code tributary run}. Each verifies its own answer, prints what it measured from
 * rank 0, and exits with 0 or 1, the same on every rank. The resource {@code META-INF/tributary/programs} names them.
 * All of it runs on the main thread of each rank.
 */
package org.tributary.miniapps;
