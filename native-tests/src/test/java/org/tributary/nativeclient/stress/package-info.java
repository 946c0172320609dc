/** Java against C on the same words of a shared file: a rank of each, in one process, with a real server. */
package org.tributary.nativeclient.stress;
