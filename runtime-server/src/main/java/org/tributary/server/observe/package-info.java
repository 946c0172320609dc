/**
 * Metrics of a server, counters and gauges in the Prometheus format, and lines of its log. Uses no other package of the
 * server.
 */
package org.tributary.server.observe;
