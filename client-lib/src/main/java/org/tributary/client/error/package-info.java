/** What can go wrong for a caller, each kind with the values that it is about. Immutable. */
package org.tributary.client.error;
