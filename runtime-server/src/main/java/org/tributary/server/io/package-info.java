/**
 * How bytes come in and go out, whatever they mean: buffers, answers, records of encrypted connections, the way the
 * event loop waits, hosts that are silent.
 */
package org.tributary.server.io;
