/** Errors of the API, each kind with its values. Immutable. */
package org.tributary.client.error;
