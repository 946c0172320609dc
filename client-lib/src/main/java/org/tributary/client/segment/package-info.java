/**
 * One allocation: how all members come to have it or none, which rank has which part, the operations on it, and when
 * the servers take it back. The inboxes of a group are one, too. Any thread of the rank.
 */
package org.tributary.client.segment;
