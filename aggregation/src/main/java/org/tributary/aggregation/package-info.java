/**
 * When requests for one server leave together, and which of them become one. No input or output; the clock is passed
 * in. Owned by the event loop of the server.
 */
package org.tributary.aggregation;
