/**
 * A communication server in the foreground of a process, and its tie to the launcher that started it. The server's own
 * threads do its work; here are the main thread, which waits for its end, and one that listens to the launcher.
 */
package org.tributary.launcher.node;
