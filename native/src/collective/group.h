/* Groups, and what their members have to agree on. */
#ifndef TRIB_GROUP_H
#define TRIB_GROUP_H

#include "collective.h"

struct trib_collectives;

/* ---- group.c ---- */

/** Segments, oldest first; guarded by the lock of the job, but for what collectives look at when there are none. */
struct trib_freed {
    int64_t *ids;
    int count; /* atomic */
    int capacity;
    int due; /* so many all members have freed when the present collective returns; of the thread in the collective */
};

struct trib_group {
    trib *job;
    trib_group *parent; /* NULL for the group of all ranks */
    bool freed;
    int references; /* itself, groups made from it, memory with parts at its members; guarded by the lock of the job */
    struct trib_members members;
    trib_memory *inboxes;
    struct trib_collectives *collectives;
    struct trib_freed freed_segments;
    trib_group *previous;
    trib_group *next;
};

/** Without members yet; NULL when memory is short. */
trib_group *trib_group_new(trib *job);
/** TRIB_OK when this rank can call collectives of the group. */
int trib_group_check(const trib_group *group);
/** The group, or the nearest from which it was made that is not freed. */
trib_group *trib_group_open(trib_group *group);
void trib_group_hold(trib_group *group);
/** Frees the object when nothing refers to it any more. */
void trib_group_drop(trib_group *group);

/* ---- collectives.c: what collectives are steps of ---- */

/** From now on collectives of the group are steps of that, until they are TRIB_PURPOSE_ITSELF, about 0, again. */
void trib_group_during(trib_group *group, int purpose, int64_t subject);
/** This member cannot take its part in a call, of which it has an error: the others are not to wait for it. */
int trib_group_give_up(trib_group *group, int purpose, int status);

/* ---- agreement.c ---- */

/**
 * Says how a step of this member has gone, and returns how it has gone for all: TRIB_OK, or the failure of the lowest
 * member that failed, as every member's last error; collective.
 *
 * what: is being made, for the message
 * status: of the step, whose error is the last one of this thread
 * undo: takes back what this member has made; is called when any has failed, unless the job has
 */
int trib_agree(trib_group *group, const char *what, int status, void (*undo)(void *context), void *context);

/* ---- allocation.c ---- */

/** Opens the inboxes of the group of all ranks, which exist since the servers started. */
int trib_memory_world(trib *job, const struct trib_members *members, int64_t bytes, trib_memory **memory);
/** Makes the inboxes of a group, and its collectives; collective over the parent. No member of it: nothing. */
int trib_memory_inboxes(trib_group *parent, trib_group *group, const struct trib_inbox_layout *layout);
/** This member uses memory no more, and the others until the next collective of that group has returned. */
void trib_memory_close(trib_memory *memory, trib_group *until);

/* ---- freed.c: segments that this member has freed while others may still use them ---- */

void trib_freed_add(trib_group *group, int64_t id);
/** A collective begins on this member. */
void trib_freed_called(trib_group *group);
/** Has the server of this node remove what all members have freed, as a collective has returned. */
int trib_freed_give_back(trib_group *group);
void trib_freed_move(trib_group *from, trib_group *to);

#endif
