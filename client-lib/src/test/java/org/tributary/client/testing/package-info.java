/** Whole jobs in one process, for tests of this and other modules. */
package org.tributary.client.testing;
