/**
 * Metrics of a server, counters and gauges in the Prometheus format, lines of its log, and tasks of its event loops
 * whose faults are told. Uses no other package of the server. The event loop counts; any thread writes lines of the
 * log, and a thread of its own serves the metrics.
 */
package org.tributary.server.observe;
