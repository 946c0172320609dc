/**
 * The {@code tributary} command. What it does is in the packages below; here is only where it begins. The main thread.
 */
package org.tributary.launcher;
