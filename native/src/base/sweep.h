/* Directories of nodes whose servers are dead. */
#ifndef TRIBUTARY_SWEEP_H
#define TRIBUTARY_SWEEP_H

#include <stdbool.h>

/** Whether there is a directory of this user, no link, that nobody else can change. */
bool trib_is_own_directory(const char *path);

/**
 * Removes what dead servers of this user have left in a directory. Several processes may do so at once.
 *
 * @return whether something is left whose name begins with `awaited`, unless that is NULL
 */
bool trib_sweep(const char *shm_directory, const char *awaited);

/**
 * Removes the directory of a node whose server has just died, those of other dead servers of its job on this machine,
 * and whatever else `trib_sweep` finds there. Waits up to 10 s for the server's lock, and for that of another one that
 * has been killed and has not ended yet; up to 1 s for those of others.
 */
void trib_sweep_job(const char *directory);

/** Removes what libfabric's provider shm has made in shared memory for this process, which is about to end. */
void trib_sweep_provider_files(void);

#endif
