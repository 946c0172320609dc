/**
 * The contract between two processes of a job: framing, handshake, message flags. Message codecs are generated from
 * {@code tributary-wire.xml} into {@code org.tributary.wire.codec}.
 *
 * <p>Nothing in this package owns a thread or a socket; every object belongs to its caller's thread.
 */
package org.tributary.wire;
