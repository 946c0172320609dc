/**
 * Arrays in files that all ranks read and write at once: {@link org.tributary.globalarrays.file.NumpyFile} for exchange
 * with other programs, {@link org.tributary.globalarrays.file.Checkpoint} for a program that goes on where it was.
 *
 * <p>All methods are collective, by one thread each. The file lies on a file system that all ranks of the array's group
 * see under one path, as those of one host always do; files that differ are refused. It is one on which a write of one
 * host is seen by all, such as Lustre, GPFS or CephFS, or NFS, where every write goes to the disk at once. A new file
 * is written under a temporary name, synchronized to the disk by every rank, and renamed by the first rank of the
 * group; so there is a whole file at any moment, the former one or the new one. A failure of one rank is one on all:
 * every rank gets an {@link org.tributary.globalarrays.file.ArrayFileException} with the same message. A rank that
 * failed for another reason, such as lack of memory, gets that failure itself.
 */
package org.tributary.globalarrays.file;
