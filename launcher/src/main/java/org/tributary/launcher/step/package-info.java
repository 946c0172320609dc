/**
 * What nodes of a job tell of one step of a page that shows it, and how it is summed: by agents on the way to the
 * launcher, or by the page itself. Nothing here is shared between threads.
 */
package org.tributary.launcher.step;
