/**
 * Jobs on several hosts. The launcher starts an agent on each, by ssh or another command, and talks to it through that
 * command's standard input and output; agents of large jobs start others. An agent runs the server and the ranks of its
 * node. Messages of the connections are handled on the thread that runs the job, or the agent.
 */
package org.tributary.launcher.host;
