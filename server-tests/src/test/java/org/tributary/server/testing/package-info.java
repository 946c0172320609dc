/** What the tests of the server share: servers in this process, and a client that speaks the bare protocol. */
package org.tributary.server.testing;
