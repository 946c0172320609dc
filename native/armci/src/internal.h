/*
 * Declarations that the files of libarmci share. ARMCI has one job a process, so its state is static: `arm`. Ranks of
 * ARMCI are those of its communicator, as are those of a job that ARMCI starts; a job that was there before may number
 * them otherwise.
 */
#ifndef ARM_INTERNAL_H
#define ARM_INTERNAL_H

#include <armci.h>

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tributary.h"

/** Makes ARMCI_X a weak alias of PARMCI_X. */
#define ARM_ALIAS(result, name, ...) result name(__VA_ARGS__) __attribute__((weak, alias("P" #name)))
#define ARM_ALIAS_LOWER(result, name, ...) result name(__VA_ARGS__) __attribute__((weak, alias("p" #name)))

#define ARM_CURRENT __func__

/** Returns from the function when a step of it has failed. */
#define ARM_TRY(step)                                                                                              \
    do {                                                                                                           \
        int tried = (step);                                                                                        \
        if (__builtin_expect(tried != TRIB_OK, 0)) {                                                               \
            return tried;                                                                                          \
        }                                                                                                          \
    } while (0)

#pragma GCC visibility push(hidden)

/** A group; behind the field grp_to_abs of every copy of its ARMCI_Group. */
struct arm_group {
    trib_group *members;
    MPI_Comm comm; /* of the members when the ranks are MPI's, else of this process alone, or null */
    int size;
    int rank;
    int64_t id;    /* the same on all members, and no other group's; where MPI has the ranks */
    int64_t calls; /* number of collectives of MPI so far, and the kinds of the last ones; see mismatch.c */
    int references; /* itself, and allocations */
    struct arm_group *next; /* of those that have not been freed */
    int *abs_to_grp;
    int grp_to_abs[];
};

/** Threads of a rank of whose collectives others can read. */
#define ARM_CALLS 4

/** The call that a thread waits in; others read it. */
struct arm_call {
    int64_t group;
    int64_t calls; /* the group's, with this one; 0 while no thread waits */
    int64_t check; /* of both */
};

struct arm_allocation {
    trib_memory *memory;
    struct arm_group *group;
    void *base; /* in this rank; NULL for an empty part */
    struct arm_allocation *next;
};

struct arm_state {
    int inits;
    trib *job;
    bool mpi; /* the ranks are those of an MPI communicator */
    bool has_threads; /* several may call at a time, or in turn: ARMCI_Init_thread has said so */
    int rank;
    int size;
    int *to_job; /* the job's number of a rank; NULL when all are the same */
    ARMCI_Group world;
    ARMCI_Group standard; /* the default group */
    struct arm_allocation *allocations; /* under arm_lock, as the next, their references and groups_made */
    struct arm_group *groups;
    trib_mutexes *mutexes;
    unsigned long limit; /* of ARMCI_Set_shm_limit; 0 for none */
    int *notified;       /* by rank: notifications sent */
    int *heard;          /* by rank: notifications received */
    struct arm_mail *mail;
    int groups_made;
    trib_memory *calls; /* at each rank the collectives of MPI that it waits in, ARM_CALLS of arm_call */
};

/* ---- state.c ---- */

extern struct arm_state arm;

/** Threads may make and free groups and memory at once. Under this lock nothing waits. */
void arm_lock(void);
void arm_unlock(void);

/* ---- error.c ---- */

/** Prints a message that begins with this rank and the function; returns the status, which is not 0. */
int arm_fail(const char *function, int status, const char *format, ...) __attribute__((format(printf, 3, 4), cold));
/** Prints what a status means that may be the runtime's, MPI's or this library's; returns it. */
int arm_failed(const char *function, int status) __attribute__((cold));
/** Prints what the runtime has found wrong at an address of a rank; returns its status. */
int arm_fail_at(const char *function, const void *address, long long bytes, int proc) __attribute__((cold));
/** Prints what has just failed in the runtime; returns its status. */
int arm_fail_last(const char *function) __attribute__((cold));
/** Whether MPI has been initialized and not yet finalized: a job of the environment does without. */
bool arm_mpi_is_usable(void);
_Noreturn void arm_abort(int code);
/** Zeros, to be freed. Without memory the job ends: others may be, or come, where they wait for this rank in MPI. */
void *arm_memory(const char *function, size_t count, size_t bytes);
/** Ends the job unless the status, whose message has been printed, is 0. */
static inline void arm_must(int status) {
    if (__builtin_expect(status != 0, 0)) {
        arm_abort(1);
    }
}

/* ---- start.c ---- */

/** Joins the job of the environment, or starts one over the communicator. */
int arm_start(MPI_Comm comm);
void arm_stop(void);

/* ---- group.c ---- */

/** Makes the group of all ranks; comm, which is its from now on, spans them, or is null. */
int arm_world_open(MPI_Comm comm);
void arm_world_close(void);
/** NULL after a message when it is no group, or this rank no member. */
struct arm_group *arm_group_of(const char *function, const ARMCI_Group *group);
void arm_group_drop(struct arm_group *group);
bool arm_groups_are_alike(const struct arm_group *one, const struct arm_group *other);

/* ---- memory.c ---- */

/**
 * Meets the members after each has freed memory of theirs: the runtime gives a segment back to the node when its own
 * collective says that all have freed it, and libarmci's are MPI's. Returns what went wrong, after a message.
 *
 * freed: what freeing it has returned on this member
 */
int arm_give_back(const char *function, trib_group *members, int freed);

/* ---- address.c ---- */

struct arm_place {
    trib_memory *memory;
    size_t offset;
    int rank; /* in the runtime */
};

/** Where a range of a rank's memory lies; a message when it is in no allocation. */
int arm_locate(const char *function, const void *address, long long bytes, int proc, struct arm_place *place);
int arm_check_proc(const char *function, int proc);
/** A buffer of this process; a message when it is NULL. */
int arm_check_local(const char *function, const void *local, const void *remote, int proc);
/** The shape of a transfer; empty when there is nothing to do. */
int arm_shape(const char *function, const int *local_strides, const int *remote_strides, const int *count, int levels,
              trib_shape *shape, bool *empty);

/* ---- collective.c: by MPI where it has the ranks, so that it can proceed meanwhile; else by the runtime ---- */

/** Waits for something of MPI; leaves the processor to others meanwhile. */
int arm_mpi_wait(MPI_Request *request);
int arm_barrier(struct arm_group *group);
int arm_broadcast(struct arm_group *group, int root, void *buffer, size_t bytes);
int arm_allgather(struct arm_group *group, const void *send, void *receive, size_t bytes);
/** In place. op: MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_BAND, MPI_BOR; type: enum armci_type_e. */
int arm_allreduce(struct arm_group *group, void *x, size_t n, int type, MPI_Op op);
/**
 * Frees the buffer of a collective with that status. When one has failed MPI may still write there: nothing ends such a
 * collective, so that functions that return then, instead of ending the job, have such buffers on the heap.
 */
void arm_collective_free(int status, void *buffer);
size_t arm_type_bytes(int type);

/* ---- mismatch.c; see also mismatch.h ---- */

/** Lets ranks tell others what they wait in. */
int arm_calls_open(void);

/* ---- handle.c ---- */

/** The runtime's handle for operations on a rank, until arm_handle_issued; NULL after a message. */
trib_handle *arm_handle(const char *function, armci_hdl_t *handle, int proc);
/** Nothing more will be issued with a handle that arm_handle has returned. */
void arm_handle_issued(trib_handle *handle);
/** Whether operations of a handle, or NULL, are to be merged. */
bool arm_is_aggregate(const armci_hdl_t *handle);
void arm_handles_free(void);

/* ---- unaligned.c: accumulates into elements that are not aligned ---- */

int arm_unaligned_open(void);
/** Whether the calling thread is in an accumulate, whose waits do not have to obey MPI_THREAD_SERIALIZED. */
bool arm_is_in_unaligned(void);
bool arm_is_aligned(const struct arm_place *at, int type, const trib_shape *shape);
/** A block that is aligned or not. */
int arm_accumulate_block(const struct arm_place *at, int type, const void *scale, const void *source, size_t bytes);
/** A region, block by block. */
int arm_accumulate_blocks(const struct arm_place *at, int type, const void *scale, const void *source,
                          const trib_shape *shape);
size_t arm_component_bytes(int type);

/* ---- progress.c: MPI proceeds while a thread waits in the runtime for another rank ---- */

/** From here on; collective. */
void arm_progress_open(MPI_Comm comm);
/** No thread waits any more. */
void arm_progress_close(void);
/** Has MPI proceed; false when the calling thread may not call MPI. */
bool arm_progress(void);

/* ---- mail.c: messages between ranks without MPI ---- */

int arm_mail_open(void);
void arm_mail_close(void);
int arm_mail_send(int tag, const void *buffer, size_t bytes, int to);
/** from: a rank, or -1 for any; returns the rank, or less than 0. */
int arm_mail_receive(int tag, void *buffer, size_t capacity, int *received, int from);

static inline int arm_to_job(int proc) {
    return arm.to_job == NULL ? proc : arm.to_job[proc];
}

#pragma GCC visibility pop

#endif
