/**
 * The connections of ranks and servers, from the listening socket through the handshake to their requests. Until a
 * connection has proved itself, the loop of strangers owns it, from then on the main event loop or another that moves
 * data.
 *
 * <p>Limits: {@code server.strangers-max} connections that have not proved themselves, each for three times {@code
 * connect.timeout}; fewer where the process may not open so many files; beyond that the oldest goes. They are accepted
 * at 1,000 a second, 2,000 at once, and send frames of 1,536 bytes at most. A rank of the node has one connection for
 * requests and one lifeline; connections of other nodes that have proved themselves are not counted. A read brings
 * {@code server.receive-buffer} bytes at most;
 * frames are at most as long as {@link org.tributary.server.frame.FrameReader} says. The server does not read a
 * connection that does not take its answers. It keeps requests that it has read from such connections already, 16 MiB
 * for all of them; beyond that each read brings 8 KiB at most. The number of segments, and of requests that wait for a
 * lock, has no limit but memory.
 */
package org.tributary.server.connection;
