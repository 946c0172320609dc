/**
 * Requests for other nodes: kept, passed on over channels between servers, and their answers brought back. Knows the
 * connections that they come from as {@link org.tributary.server.relay.Source}.
 */
package org.tributary.server.relay;
