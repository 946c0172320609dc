/** What is told of running jobs: by {@code tributary status}, and by a launcher of its own job. Any thread. */
package org.tributary.launcher.status;
