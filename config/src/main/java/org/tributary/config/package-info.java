/**
 * Typed immutable settings, the model of a job and its topology, and their validation. Nothing here holds static state,
 * starts a thread or opens a resource; every object is immutable and may be shared between threads.
 */
package org.tributary.config;
