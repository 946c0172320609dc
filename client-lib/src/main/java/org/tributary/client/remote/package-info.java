/**
 * Operations through servers: requests, fences, notifications, handles of operations that are under way, and the parts
 * of global memory that are on other nodes. Any thread of the rank; what connections share is under the lock of {@code
 * Links}.
 */
package org.tributary.client.remote;
