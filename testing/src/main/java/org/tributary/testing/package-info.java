/** For tests of programs that run on Tributary: a job in the process of the test, with any test framework. */
package org.tributary.testing;
