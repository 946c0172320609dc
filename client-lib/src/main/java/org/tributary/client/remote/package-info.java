/**
 * Operations through servers: requests, fences, notifications, handles of operations that are under way, and the parts
 * of global memory that are on other nodes.
 */
package org.tributary.client.remote;
