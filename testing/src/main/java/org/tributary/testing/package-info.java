/**
 * For tests of programs that run on Tributary: a job in the process of the test, with any test framework. Each rank is
 * a thread.
 */
package org.tributary.testing;
