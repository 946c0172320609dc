/** One allocation: which rank has which part of it, and when the servers take it back. Any thread of the rank. */
package org.tributary.client.segment;
