/**
 * What a server tells of itself: counters and gauges in the Prometheus format, and lines of its log. Uses nothing
 * else of the server.
 */
package org.tributary.server.observe;
