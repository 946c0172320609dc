/**
 * The connections of ranks and servers, from the listening socket through the handshake to the rooms where their
 * requests are executed, passed on, or end the job.
 */
package org.tributary.server.connection;
