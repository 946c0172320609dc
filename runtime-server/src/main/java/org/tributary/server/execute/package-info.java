/** Requests of one connection, executed in the memory of the node. Owned by the event loop. */
package org.tributary.server.execute;
