/**
 * Steps of a page that shows a job: the data of each node, and their sum, made by agents on the way to the launcher or
 * by the page itself. Nothing here is shared between threads.
 */
package org.tributary.launcher.step;
