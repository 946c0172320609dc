/**
 * Metrics of a server, counters and gauges in the Prometheus format, and lines of its log. Uses no other package of the
 * server. The event loop counts; any thread writes lines of the log, and a thread of its own serves the metrics.
 */
package org.tributary.server.observe;
