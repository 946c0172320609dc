/**
 * Requests of one connection, executed in the memory of the node. Owned by the event loop of the connection, and by the
 * main one while something is executed there that changes the state of the node.
 */
package org.tributary.server.execute;
