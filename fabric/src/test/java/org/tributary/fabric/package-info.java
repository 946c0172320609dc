/** Providers that are on every machine: tcp and shm. */
package org.tributary.fabric;
