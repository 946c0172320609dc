/** On which processors of a machine the servers and ranks of a job run. Stateless. Any thread. */
package org.tributary.launcher.bind;
