/**
 * The life of the job: its members, departures, deaths, and how servers hear of its end. Knows connections as {@link
 * org.tributary.server.job.Member}. Owned by the event loop; threads of {@code Uplink} and {@code Bypass} tell it what
 * they hear.
 */
package org.tributary.server.job;
