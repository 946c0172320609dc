/**
 * How a rank comes to its node and leaves it: control file, connections, lifeline. One thread attaches; any thread may
 * leave.
 */
package org.tributary.client.attach;
