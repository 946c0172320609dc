/* Calls that members of a group make together: collectives, and allocation. See org.tributary.client.Group. */
#ifndef TRIB_COLLECTIVE_H
#define TRIB_COLLECTIVE_H

#include "memory/memory.h"

/** Makes the group of all ranks. */
int trib_group_world_open(trib *job);
/** Records the collectives that were held back of all groups; after the last one. */
void trib_groups_flush_trace(trib *job);
/** Frees the object, whatever refers to it. */
void trib_group_forget(trib_group *group);

#endif
