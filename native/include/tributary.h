/*
 * The C client of Tributary: functions by which a rank of a job reads and writes memory of every other rank.
 *
 *     trib *job;
 *     trib_memory *memory;
 *     if (trib_attach(&job) != TRIB_OK || trib_allocate(trib_world(job), 1024, &memory) != TRIB_OK) {
 *         fprintf(stderr, "%s\n", trib_last_error()->message);
 *         exit(1);
 *     }
 *     trib_put_i64(memory, (trib_rank(job) + 1) % trib_size(job), 0, trib_rank(job));
 *     trib_barrier(job);
 *     ...
 *     trib_detach(job);
 *
 * Ranks in C and in Java take part in one job; everything here means the same as in org.tributary.client.
 *
 * Addresses. Global memory is allocated collectively and has one part at each member of a group. An address is a
 * memory, the rank (always its number in the job, never that in a group) and an offset in bytes in that rank's part.
 * Parts of ranks of the caller's node are mapped and can be used directly (trib_memory_at).
 *
 * Completion. A blocking put or accumulate returns when its source may be reused, a blocking get when the data is
 * there. Non-blocking ones are complete in the same sense when their handle is. After trib_fence, puts have been
 * executed at their target. Operations of one rank on one target take effect in the order of issue.
 *
 * Overlap. In memory of the caller's node, source and target of one call may overlap: it acts as if the source were
 * copied first. (Of calls in Java, contiguous puts and gets alone do so.)
 *
 * Errors. Functions return TRIB_OK or one of enum trib_status. For a bad argument they send and touch nothing.
 * trib_last_error gives the calling thread the error and its place. The next fence of a rank returns errors that its
 * server has found in one-way requests. When another part of the job dies, the process ends with one message and exit
 * code 75, or, with the setting job.on-failure = throw, every operation returns TRIB_ABORTED.
 *
 * Threads. Everything may be called from any thread at any time, except that the collective calls of one group are
 * made by one thread at a time, in the same order on every member. A trib_handle is shared between threads only after
 * it has been initialized.
 *
 * Processes. A process that is forked from a rank is no rank: calls there fail with TRIB_ABORTED, and it must not
 * access memory of the node, by operations or through trib_memory_at. The rank ends with the process that has attached,
 * whatever a forked one does; but one that is forked while another thread is in trib_attach keeps its connections open.
 */
#ifndef TRIBUTARY_H
#define TRIBUTARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tributary_version.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TRIB_API __attribute__((visibility("default")))
#else
#define TRIB_API
#endif

/** Levels that a strided transfer can have above its contiguous block. */
#define TRIB_MAX_LEVELS 8

/** A rank's place in its job. */
typedef struct trib trib;
/** Ranks that do something together. */
typedef struct trib_group trib_group;
/** Global memory with a part at each member of a group. */
typedef struct trib_memory trib_memory;
/** Mutexes, some at each member of a group. */
typedef struct trib_mutexes trib_mutexes;

enum trib_status {
    TRIB_OK = 0,
    TRIB_INVALID_ARGUMENT = -1,  /* an argument that can never be right: a type, an operation, a root, a shape */
    TRIB_INVALID_ADDRESS = -2,   /* outside the part, no such rank or part, freed, not aligned: see trib_error */
    TRIB_NO_SPACE = -3,          /* a node has not enough shared memory; offset 0, length needed, limit free */
    TRIB_MUTEX_STATE = -4,       /* locked by this rank already, or unlocked without being held */
    TRIB_ATTACH_FAILED = -5,     /* environment incomplete or wrong, server not reached or not admitted */
    TRIB_ABORTED = -6,           /* the job has failed, or a rank that was waited for has left */
    TRIB_REFUSED = -7,           /* a server refused a request for a reason of its own */
    TRIB_NO_MEMORY = -8,         /* this process has no memory left */
    TRIB_SYSTEM = -9,            /* a system call failed that should not */
    TRIB_BUSY = -10,             /* other threads are in calls that have not ended: see trib_detach */
    TRIB_ADAPTER_FAILED = -11    /* the network adapter has failed: see trib_error; messages carry what comes next */
};

/** An error and its place. Fields that do not apply are -1 (rank) or 0. */
typedef struct trib_error {
    int status;
    int rank;        /* target rank */
    int64_t segment; /* id of the memory, as in messages and file names */
    int64_t offset;  /* in bytes, in the rank's part */
    int64_t length;  /* in bytes */
    int64_t limit;   /* the limit that was broken: length of the part, alignment, count, bytes free */
    char message[512];
} trib_error;

/** The last error of the calling thread; never NULL, stays valid until the thread's next failing call. */
TRIB_API const trib_error *trib_last_error(void);
/** A status in words. */
TRIB_API const char *trib_status_text(int status);
/** Version of the library that is linked. */
TRIB_API const char *trib_version(void);

/* ---- Taking part in a job ---------------------------------------------------------------------------------------- */

/** A job as the variables TRIBUTARY_* describe it (docs/configuration.md), for programs that know it otherwise. */
typedef struct trib_job {
    const char *job_id;          /* 1 to 32 letters, digits, dots, underscores or hyphens */
    const void *secret;          /* the job's secret */
    size_t secret_bytes;         /* at least 16 */
    const char *layout;          /* the node of each rank, as in TRIBUTARY_LAYOUT, such as 2*4 or cyclic:2*4 */
    int rank;                    /* of this process */
    const char *servers;         /* addresses of the servers by node, host:port,host:port; NULL in a job of one node */
    const char *servers_file;    /* instead of servers: a file with one address a line; else NULL */
    bool supervised;             /* the launcher, or the caller, tells the user why the job has failed */
    const char *const *settings; /* "key=value", such as "job.on-failure=throw", the last one NULL; or NULL */
    /* Called once when the job has failed, on a thread of the library, before the process ends; or NULL. With throw,
     * calls of other threads end meanwhile. */
    void (*on_failure)(const char *reason, void *context);
    void *context;
    const char *secret_file;     /* instead of secret: a file that holds it, as TRIBUTARY_SECRET_FILE does; else NULL */
} trib_job;

/**
 * Attaches to the job that the environment describes, as `tributary run` or a job script has set it up. Otherwise makes a
 * job of the ranks that `srun --mpi=pmi2` or `mpirun` has launched; collective over them. A process that nobody has
 * launched becomes a job of one rank.
 */
TRIB_API int trib_attach(trib **job);
/** Attaches to a job that the caller describes; settings in the description go before those in the environment. */
TRIB_API int trib_attach_as(const trib_job *description, trib **job);
/**
 * Leaves the job: waits until everything sent has been executed, releases the mutexes that this rank holds, and gives
 * back memory, groups and mutexes of the job. Not collective. The rank's memory stays reachable for others until all
 * have left. A process that exits without it leaves the job, too, but waits 5 s at most for a server from which nothing
 * comes.
 *
 * Other threads. Their calls end with TRIB_ABORTED, however long they would wait. This function waits for that, 5 s at
 * most, before it gives anything back. After 5 s the rank leaves, everything stays, and this function returns TRIB_BUSY
 * with the number of such calls. Their operations may or may not have been executed. A call that a thread begins later
 * fails with TRIB_ABORTED, too; for that some hundred bytes for each memory and group stay until the process ends. But
 * no thread may access memory of the own node meanwhile or later, by operations on it or through trib_memory_at: those
 * are plain accesses, which the library does not count. Returns TRIB_BUSY and does nothing when it is called twice, or
 * by on_failure.
 */
TRIB_API int trib_detach(trib *job);
/**
 * Ends the whole job with an error; the calling process ends as the others do. Without a job, as after a trib_attach
 * that has failed, or without a reason, it returns TRIB_INVALID_ARGUMENT, as trib_detach does, and nothing ends.
 */
TRIB_API int trib_abort(trib *job, const char *reason);

/* ---- Topology ---------------------------------------------------------------------------------------------------- */

/** Number of this rank, from 0. */
TRIB_API int trib_rank(const trib *job);
/** Ranks of the job. */
TRIB_API int trib_size(const trib *job);
/** Node of this rank. */
TRIB_API int trib_node(const trib *job);
/** Nodes of the job. */
TRIB_API int trib_node_count(const trib *job);
/** Node of a rank, -1 when there is no such rank. */
TRIB_API int trib_node_of(const trib *job, int rank);
/** Lowest rank of a node; -1 when there is no such node. */
TRIB_API int trib_first_rank(const trib *job, int node);
/** Rank of a node by its index, from 0, in ascending order; they need not be in a row. -1 when there is none. */
TRIB_API int trib_rank_at(const trib *job, int node, int index);
/** Index of a rank on its node: how many ranks of that node are lower; -1 when there is no such rank. */
TRIB_API int trib_index_of(const trib *job, int rank);
/** Ranks of a node; -1 when there is no such node. */
TRIB_API int trib_node_size(const trib *job, int node);
/** Whether a rank is on this rank's node. */
TRIB_API bool trib_same_node(const trib *job, int rank);

/** A rank that is leaving makes no calls any more; its server may still have requests of it, which it will execute. */
enum trib_rank_state {
    TRIB_EXPECTED = 0,
    TRIB_ATTACHED = 1,
    TRIB_DEPARTED = 2,
    TRIB_DEAD = 3,
    TRIB_LEAVING = 4
};
/** How a rank of any node is: one of enum trib_rank_state. Fails when the job has failed. */
TRIB_API int trib_rank_state(trib *job, int rank, int *state);

/* ---- Groups ------------------------------------------------------------------------------------------------------ */

/** The group of all ranks. */
TRIB_API trib_group *trib_world(trib *job);
/** Makes a group of those members, in that order; collective over the parent. Others get one they are no member of. */
TRIB_API int trib_group_create(trib_group *parent, int count, const int *parent_members, trib_group **group);
/**
 * Makes a group of all members with the same color, ordered by key and then by number in the parent; collective over
 * the parent. With a negative color this rank is a member of none.
 */
TRIB_API int trib_group_split(trib_group *parent, int color, int key, trib_group **group);
/**
 * Gives a group up; collective over it, but waits for nobody. Its memory goes back during the next collective of the
 * group that it was made from. The group of all ranks cannot be freed.
 */
TRIB_API int trib_group_free(trib_group *group);
/** This rank's number in the group, or -1 when it is no member. */
TRIB_API int trib_group_rank(const trib_group *group);
/** Members of the group; 0 for a group that this rank is no member of. */
TRIB_API int trib_group_size(const trib_group *group);
/** A member's rank in the job, or -1. */
TRIB_API int trib_group_world_rank(const trib_group *group, int member);
/** A rank's number in the group, or -1 when it is no member. */
TRIB_API int trib_group_member(const trib_group *group, int rank);
/** Translates numbers in one group into those in another, -1 for a rank that is no member there. */
TRIB_API int trib_group_translate(const trib_group *from, int count, const int *members, const trib_group *to,
                                  int *translated);
/** The job that a group belongs to. */
TRIB_API trib *trib_group_job(const trib_group *group);

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/**
 * Allocates global memory, zeroed; collective over the group.
 *
 * bytes: size of this rank's part; parts may differ and be 0.
 * TRIB_NO_SPACE on every member, when a node has not enough.
 */
TRIB_API int trib_allocate(trib_group *group, size_t bytes, trib_memory **memory);
/**
 * Fences, and gives this member's use of the memory up; collective over its group, but waits for nobody. The others may
 * use it, this member's part included, until they free it. The servers take it back during the next collective of the
 * group that all members call, and at the latest when the job ends. Returns what the fence found wrong, but has freed
 * the memory all the same, unless that is TRIB_ABORTED.
 */
TRIB_API int trib_free(trib_memory *memory);
/** Bytes of a rank's part; -1 when it has none. */
TRIB_API int64_t trib_memory_bytes(const trib_memory *memory, int rank);
/**
 * Where the part of a rank of the same node is mapped in this process, for direct access; NULL when the rank is
 * elsewhere or has no part or an empty one. Others see plain stores after the next barrier, flag, notification or mutex
 * that orders them.
 */
TRIB_API void *trib_memory_at(const trib_memory *memory, int rank);
/** Where this rank's own part is mapped: trib_memory_at(memory, trib_rank(job)). */
TRIB_API void *trib_memory_local(const trib_memory *memory);
/** The group whose members have parts. */
TRIB_API trib_group *trib_memory_group(const trib_memory *memory);
/** Number of the memory, the same on all members, which no other memory of the job has. */
TRIB_API int64_t trib_memory_id(const trib_memory *memory);

/**
 * Makes parts known by the addresses that they have in their own ranks; collective over the memory's group, all of
 * whose members must be C ranks. From then on trib_locate finds the memory.
 *
 * bases: NULL, or as many places as the group has members: each one's base address, NULL for an empty part.
 */
TRIB_API int trib_memory_publish(trib_memory *memory, void **bases);
/**
 * Finds the memory in which a rank's address lies. A range of length 0 at the end of a part lies in it.
 *
 * TRIB_INVALID_ADDRESS when no published, unfreed memory has all of the range; the message names the nearest one.
 */
TRIB_API int trib_locate(trib *job, int rank, const void *address, size_t length, trib_memory **memory,
                         size_t *offset);

/* ---- Put, get, accumulate ---------------------------------------------------------------------------------------- */

/** Element types of accumulates and reductions. */
enum trib_type {
    TRIB_INT32 = 0,
    TRIB_INT64 = 1,
    TRIB_FLOAT = 2,
    TRIB_DOUBLE = 3,
    TRIB_COMPLEX_FLOAT = 4, /* pair of float: real, imaginary */
    TRIB_COMPLEX_DOUBLE = 5
};
/** Bytes of an element; 0 for an unknown type. */
TRIB_API size_t trib_type_bytes(int type);

/**
 * Contiguous blocks at regular distances: the first level has count[0] blocks, stride[0] bytes apart, the second
 * count[1] such rows, stride[1] apart, and so on. Strides may be negative; a count of 0 makes the whole transfer empty.
 */
typedef struct trib_shape {
    size_t block_bytes;
    int levels; /* 0 to TRIB_MAX_LEVELS */
    int64_t count[TRIB_MAX_LEVELS];
    int64_t local_stride[TRIB_MAX_LEVELS];
    int64_t remote_stride[TRIB_MAX_LEVELS];
} trib_shape;

/** One range of a list: where it lies here and in the target's part. */
typedef struct trib_range {
    void *local; /* only read by puts and accumulates */
    size_t offset;
    size_t bytes;
} trib_range;

TRIB_API int trib_put(trib_memory *memory, int rank, size_t offset, const void *source, size_t bytes);
TRIB_API int trib_get(trib_memory *memory, int rank, size_t offset, void *target, size_t bytes);
/**
 * Adds scale * source to memory, element by element, each atomically against other accumulates.
 *
 * scale: one element of that type; NULL for 1. bytes: whole elements; offsets, and strides of counts other than 1, are
 * aligned to components.
 */
TRIB_API int trib_accumulate(trib_memory *memory, int rank, size_t offset, int type, const void *scale,
                             const void *source, size_t bytes);

TRIB_API int trib_put_strided(trib_memory *memory, int rank, size_t offset, const void *source,
                              const trib_shape *shape);
TRIB_API int trib_get_strided(trib_memory *memory, int rank, size_t offset, void *target, const trib_shape *shape);
TRIB_API int trib_accumulate_strided(trib_memory *memory, int rank, size_t offset, int type, const void *scale,
                                     const void *source, const trib_shape *shape);

TRIB_API int trib_put_vector(trib_memory *memory, int rank, const trib_range *ranges, size_t count);
TRIB_API int trib_get_vector(trib_memory *memory, int rank, const trib_range *ranges, size_t count);
TRIB_API int trib_accumulate_vector(trib_memory *memory, int rank, int type, const void *scale,
                                    const trib_range *ranges, size_t count);

/* Single values, at any offset. */
TRIB_API int trib_put_i32(trib_memory *memory, int rank, size_t offset, int32_t value);
TRIB_API int trib_put_i64(trib_memory *memory, int rank, size_t offset, int64_t value);
TRIB_API int trib_put_f32(trib_memory *memory, int rank, size_t offset, float value);
TRIB_API int trib_put_f64(trib_memory *memory, int rank, size_t offset, double value);
TRIB_API int trib_get_i32(trib_memory *memory, int rank, size_t offset, int32_t *value);
TRIB_API int trib_get_i64(trib_memory *memory, int rank, size_t offset, int64_t *value);
TRIB_API int trib_get_f32(trib_memory *memory, int rank, size_t offset, float *value);
TRIB_API int trib_get_f64(trib_memory *memory, int rank, size_t offset, double *value);

/* ---- Non-blocking ------------------------------------------------------------------------------------------------ */

/**
 * Stands for any number of non-blocking operations. Kept by the caller; its fields belong to the library. Nothing needs
 * to be freed once it has been waited for, and it can then be used again.
 */
typedef struct trib_handle {
    trib *job;
    void *failure;
    int64_t pending;
    int32_t kind;
    int32_t reserved;
} trib_handle;

/**
 * Operations begin at once, except that puts and accumulates of up to 2 KiB may stay here, for others to go with them,
 * until the thread waits or tests, fences, or sends something larger to the same server.
 */
#define TRIB_PLAIN 0
/**
 * Operations are merged into as few messages as possible, by target and memory, until the handle is waited for or
 * tested, or something that must follow them is sent. Sources of puts may be reused at once as usual.
 */
#define TRIB_AGGREGATE 1

/** Makes a handle ready for use. */
TRIB_API int trib_handle_init(trib *job, int kind, trib_handle *handle);
/** Says, without waiting, whether everything is complete; returns the first failure, once. */
TRIB_API int trib_test(trib_handle *handle, bool *complete);
/**
 * Whether, as far as has been heard, nothing is under way and no failure waits to be returned. Neither sends, reads nor
 * waits. A thread that finds it so finds what other threads did with the handle before.
 */
TRIB_API bool trib_is_idle(const trib_handle *handle);
/**
 * Waits until everything is complete that was issued before the call, and perhaps more that other threads issue
 * meanwhile; returns the first failure, once.
 */
TRIB_API int trib_wait(trib_handle *handle);
/** Waits for all of them; returns the first failure. */
TRIB_API int trib_wait_handles(trib_handle *handles, size_t count);
/** Waits for all non-blocking operations that this process issued before the call. Failures stay with their handles. */
TRIB_API int trib_wait_all(trib *job);

TRIB_API int trib_nb_put(trib_memory *memory, int rank, size_t offset, const void *source, size_t bytes,
                         trib_handle *handle);
TRIB_API int trib_nb_get(trib_memory *memory, int rank, size_t offset, void *target, size_t bytes,
                         trib_handle *handle);
TRIB_API int trib_nb_accumulate(trib_memory *memory, int rank, size_t offset, int type, const void *scale,
                                const void *source, size_t bytes, trib_handle *handle);
TRIB_API int trib_nb_put_strided(trib_memory *memory, int rank, size_t offset, const void *source,
                                 const trib_shape *shape, trib_handle *handle);
TRIB_API int trib_nb_get_strided(trib_memory *memory, int rank, size_t offset, void *target, const trib_shape *shape,
                                 trib_handle *handle);
TRIB_API int trib_nb_accumulate_strided(trib_memory *memory, int rank, size_t offset, int type, const void *scale,
                                        const void *source, const trib_shape *shape, trib_handle *handle);
TRIB_API int trib_nb_put_vector(trib_memory *memory, int rank, const trib_range *ranges, size_t count,
                                trib_handle *handle);
TRIB_API int trib_nb_get_vector(trib_memory *memory, int rank, const trib_range *ranges, size_t count,
                                trib_handle *handle);
TRIB_API int trib_nb_accumulate_vector(trib_memory *memory, int rank, int type, const void *scale,
                                       const trib_range *ranges, size_t count, trib_handle *handle);

/* ---- Atomic read-modify-write; words are aligned to their size --------------------------------------------------- */

/** Adds to a word; *old, unless NULL, is the old value. */
TRIB_API int trib_fetch_add_i32(trib_memory *memory, int rank, size_t offset, int32_t delta, int32_t *old);
TRIB_API int trib_fetch_add_i64(trib_memory *memory, int rank, size_t offset, int64_t delta, int64_t *old);
/** Replaces a word. */
TRIB_API int trib_swap_i32(trib_memory *memory, int rank, size_t offset, int32_t value, int32_t *old);
TRIB_API int trib_swap_i64(trib_memory *memory, int rank, size_t offset, int64_t value, int64_t *old);
/** Replaces a word if it is expected; it was replaced when *old equals expected. */
TRIB_API int trib_compare_swap_i32(trib_memory *memory, int rank, size_t offset, int32_t expected, int32_t value,
                                   int32_t *old);
TRIB_API int trib_compare_swap_i64(trib_memory *memory, int rank, size_t offset, int64_t expected, int64_t value,
                                   int64_t *old);

/* ---- Order: fences, flags, notifications ------------------------------------------------------------------------- */

/** Waits until everything that this process has sent to a rank has been executed there; returns a failure of it. */
TRIB_API int trib_fence(trib *job, int rank);
/** Waits until everything that this process has sent to any rank has been executed. */
TRIB_API int trib_fence_all(trib *job);
/** Fences everything and waits until every rank has done so; collective over all ranks. */
TRIB_API int trib_barrier(trib *job);

/** Puts, then sets an 8-byte flag in the same part: a rank that sees the flag sees the data. */
TRIB_API int trib_put_flag(trib_memory *memory, int rank, size_t offset, const void *source, size_t bytes,
                           size_t flag_offset, int64_t flag_value);
/** Puts a strided region, then sets an 8-byte flag in the same part. */
TRIB_API int trib_put_strided_flag(trib_memory *memory, int rank, size_t offset, const void *source,
                                   const trib_shape *shape, size_t flag_offset, int64_t flag_value);
/** Sets an 8-byte flag after everything that this rank has sent to that one so far. */
TRIB_API int trib_set_flag(trib_memory *memory, int rank, size_t flag_offset, int64_t value);
/** Adds to an 8-byte flag after everything that this rank has sent to that one so far. */
TRIB_API int trib_add_flag(trib_memory *memory, int rank, size_t flag_offset, int64_t delta);
/**
 * Waits until an 8-byte flag in this rank's own part has a value.
 *
 * from: the rank that is to set it, so that waiting ends with TRIB_ABORTED when that rank has left; or -1.
 */
TRIB_API int trib_await_flag(trib_memory *memory, size_t flag_offset, int64_t value, int from);
/** Waits until an 8-byte flag in this rank's own part has a value or a greater one. */
TRIB_API int trib_await_flag_at_least(trib_memory *memory, size_t flag_offset, int64_t value, int from);

/** Tells a rank that everything sent to it so far is there. */
TRIB_API int trib_notify(trib *job, int rank);
/** Waits for one more notification of a rank; what that rank sent before it is visible then. */
TRIB_API int trib_wait_notify(trib *job, int rank);

/* ---- Mutexes ----------------------------------------------------------------------------------------------------- */

/**
 * Creates mutexes, count of them at this rank; collective over the group. Mutexes belong to ranks, not threads, and are
 * not reentrant. A contended one goes to the rank that asked first. For memory elsewhere, fence before unlocking.
 */
TRIB_API int trib_mutexes_create(trib_group *group, int count, trib_mutexes **mutexes);
/** Gives the mutexes up; collective over the group that created them, but waits for nobody, as trib_free. */
TRIB_API int trib_mutexes_free(trib_mutexes *mutexes);
/** Mutexes at a rank; -1 when it is no member. */
TRIB_API int trib_mutexes_count(const trib_mutexes *mutexes, int rank);
TRIB_API int trib_lock(trib_mutexes *mutexes, int rank, int index);
/** Acquires a mutex if it is free. */
TRIB_API int trib_try_lock(trib_mutexes *mutexes, int rank, int index, bool *acquired);
TRIB_API int trib_unlock(trib_mutexes *mutexes, int rank, int index);

/* ---- Collectives of a group -------------------------------------------------------------------------------------- */

/** How a reduction combines two elements. Integers wrap around; of NaN and a number, minimum and maximum are NaN. */
enum trib_op {
    TRIB_SUM = 0,
    TRIB_PRODUCT = 1,
    TRIB_MIN = 2, /* not of complex numbers, which have no order, as for TRIB_MAX */
    TRIB_MAX = 3,
    TRIB_LOGICAL_AND = 4, /* from here on of integers only; logical ones make 0 or 1 */
    TRIB_LOGICAL_OR = 5,
    TRIB_LOGICAL_XOR = 6,
    TRIB_BITWISE_AND = 7,
    TRIB_BITWISE_OR = 8,
    TRIB_BITWISE_XOR = 9
};

/** Waits until every member has come here. Does not fence. */
TRIB_API int trib_group_barrier(trib_group *group);
/** Copies the root's buffer to every member's; root is a number in the group. */
TRIB_API int trib_broadcast(trib_group *group, int root, void *buffer, size_t bytes);
/** Combines the members' vectors at the root; receive matters only there and may be send. */
TRIB_API int trib_reduce(trib_group *group, int root, int op, int type, const void *send, void *receive,
                         size_t elements);
/** Combines the members' vectors on every member, bit for bit alike; receive may be send. */
TRIB_API int trib_allreduce(trib_group *group, int op, int type, const void *send, void *receive, size_t elements);
/** Combines the members' vectors of one block for each member; member i gets block i of block_elements. */
TRIB_API int trib_reduce_scatter(trib_group *group, int op, int type, const void *send, void *receive,
                                 size_t block_elements);
/** Gathers every member's block on every member. */
TRIB_API int trib_allgather(trib_group *group, const void *send, void *receive, size_t block_bytes);
/** Sends block i to member i. */
TRIB_API int trib_alltoall(trib_group *group, const void *send, void *receive, size_t block_bytes);

#ifdef __cplusplus
}
#endif

#endif
