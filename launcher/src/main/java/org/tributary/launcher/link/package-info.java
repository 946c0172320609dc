/**
 * The connections between a launcher and its agents: messages, their bytes, and the tree of agents that passes them on.
 * Each connection has a thread that reads, one that writes and one that reads what the command that started the agent
 * prints.
 */
package org.tributary.launcher.link;
