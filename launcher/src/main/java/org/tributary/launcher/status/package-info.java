/** Status of running jobs: for {@code tributary status}, and for a launcher of its own job. Any thread. */
package org.tributary.launcher.status;
