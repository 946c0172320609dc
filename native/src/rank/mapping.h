/*
 * The files that this process has mapped. Memory beyond the end of a file that somebody truncates is gone, and the
 * kernel tells of an access by SIGBUS, which says neither which file nor why: a handler does, in a line on standard
 * error, and then lets happen what would have happened without it.
 */
#ifndef TRIB_MAPPING_H
#define TRIB_MAPPING_H

#include <stdbool.h>
#include <stddef.h>

/**
 * From now on a fault in so many bytes at that address is explained. False when memory is short. The handler is
 * installed with the first mapping of the process and passes on what it gets to the one that was there before, or to
 * the default.
 */
bool trib_mapping_add(const void *start, size_t bytes, const char *path, int rank);
/** Before the memory is unmapped. With the last one the handler goes, unless the program has another one by now. */
void trib_mapping_remove(const void *start);
/** The problem of a mapped file in a directory that was truncated; false when there is none. */
bool trib_mapping_problem(const char *directory, char *text, size_t bytes);

#endif
