/** The subcommands of {@code tributary}: what they accept, and how they say what is wrong with it. */
package org.tributary.launcher.cli;
