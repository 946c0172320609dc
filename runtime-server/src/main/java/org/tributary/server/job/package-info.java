/**
 * The life of the job: its members, departures, deaths, and how servers hear of its end. Knows connections as {@link
 * org.tributary.server.job.Member}.
 */
package org.tributary.server.job;
