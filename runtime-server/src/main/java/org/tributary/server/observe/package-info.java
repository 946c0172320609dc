/**
 * Metrics of a server, counters and gauges in the Prometheus format, lines of its log, and tasks of its event loops
 * whose faults are told. Uses no other package of the server.
 */
package org.tributary.server.observe;
