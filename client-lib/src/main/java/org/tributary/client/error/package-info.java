/** Errors of the API, each kind with its values. Immutable. Any thread. */
package org.tributary.client.error;
