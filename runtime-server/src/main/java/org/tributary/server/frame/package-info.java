/**
 * The bytes of the protocol as frames: where they begin and end, and which messages a server accepts. No memory of the
 * node, no sockets. Each object belongs to the loop of its connection.
 */
package org.tributary.server.frame;
