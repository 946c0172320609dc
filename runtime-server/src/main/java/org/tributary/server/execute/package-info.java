/** Requests of one connection, executed in the memory of the node. */
package org.tributary.server.execute;
