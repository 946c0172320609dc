/** Drives the C client in {@code native/}: its programs under the launcher, alone and together with Java ranks. */
package org.tributary.nativeclient;
