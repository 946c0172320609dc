/** The subcommands of {@code tributary}: what they accept, and how they say what is wrong with it. The main thread. */
package org.tributary.launcher.cli;
