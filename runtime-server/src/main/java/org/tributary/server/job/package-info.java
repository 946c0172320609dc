/**
 * The life of the job: who is part of it, who has left, and how servers hear of its end. Knows connections as {@link
 * org.tributary.server.job.Member}.
 */
package org.tributary.server.job;
