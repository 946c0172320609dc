/*
 * Parts that need no job: errors, settings, the place of a rank among the others, time, and what bytes mean. Names
 * follow the Java client, org.tributary.client; where an algorithm is explained there, it is not explained here again.
 *
 * Each folder of the library uses only itself and those before it: base, bootstrap, rank, net, link, memory,
 * collective, attach. The header with the name of a folder is what others may use of it.
 */
#ifndef TRIB_BASE_H
#define TRIB_BASE_H

#include "tributary.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "layout.h"
#include "map.h"
#include "region.h"
#include "sweep.h"
#include "topology.h"

_Static_assert(TRIB_MAX_LEVELS == TRIB_FRAME_MAX_LEVELS, "tributary.h has as many levels as the messages");
_Static_assert(TRIB_INT32 == TRIB_ELEMENT_INT && TRIB_INT64 == TRIB_ELEMENT_LONG
               && TRIB_FLOAT == TRIB_ELEMENT_FLOAT && TRIB_DOUBLE == TRIB_ELEMENT_DOUBLE
               && TRIB_COMPLEX_FLOAT == TRIB_ELEMENT_COMPLEX_FLOAT
               && TRIB_COMPLEX_DOUBLE == TRIB_ELEMENT_COMPLEX_DOUBLE, "enum trib_type is ElementType");
_Static_assert(TRIB_SUM == TRIB_REDUCE_SUM && TRIB_PRODUCT == TRIB_REDUCE_PRODUCT
               && TRIB_MIN == TRIB_REDUCE_MIN && TRIB_MAX == TRIB_REDUCE_MAX
               && TRIB_LOGICAL_AND == TRIB_REDUCE_LOGICAL_AND && TRIB_LOGICAL_OR == TRIB_REDUCE_LOGICAL_OR
               && TRIB_LOGICAL_XOR == TRIB_REDUCE_LOGICAL_XOR && TRIB_BITWISE_AND == TRIB_REDUCE_BITWISE_AND
               && TRIB_BITWISE_OR == TRIB_REDUCE_BITWISE_OR
               && TRIB_BITWISE_XOR == TRIB_REDUCE_BITWISE_XOR, "enum trib_op is ReduceOp");
_Static_assert(TRIB_EXPECTED == TRIB_STATE_EXPECTED && TRIB_ATTACHED == TRIB_STATE_ATTACHED
               && TRIB_DEPARTED == TRIB_STATE_DEPARTED && TRIB_DEAD == TRIB_STATE_DEAD
               && TRIB_LEAVING == TRIB_STATE_LEAVING,
               "enum trib_rank_state is RankState");
_Static_assert(TRIB_INVALID_ARGUMENT == TRIB_COMMON_INVALID_ARGUMENT && TRIB_NO_SPACE == TRIB_COMMON_NO_SPACE
               && TRIB_REFUSED == TRIB_COMMON_REFUSED && TRIB_NO_MEMORY == TRIB_COMMON_NO_MEMORY
               && TRIB_SYSTEM == TRIB_COMMON_SYSTEM, "enum trib_status is what CommonResult tells members in C");

#define TRIB_NS_PER_S 1000000000LL
#define TRIB_SERVER_NAME_BYTES 512

/** The next number by chance after one that is not 0; see org.tributary.wire.shm.Chance. */
static inline uint32_t trib_next_random(uint32_t random) {
    random ^= random << TRIB_CHANCE_FIRST_SHIFT;
    random ^= random >> TRIB_CHANCE_SECOND_SHIFT;
    return random ^ random << TRIB_CHANCE_LAST_SHIFT;
}

#define trib_likely(condition) __builtin_expect(!!(condition), 1)
#define trib_unlikely(condition) __builtin_expect(!!(condition), 0)

/** Returns from the function when a step of it has failed. */
#define TRIB_TRY(step)                                                                                             \
    do {                                                                                                           \
        int tried = (step);                                                                                        \
        if (trib_unlikely(tried != TRIB_OK)) {                                                                     \
            return tried;                                                                                          \
        }                                                                                                          \
    } while (0)

/* ---- elements of the caller's memory, which may lie anywhere and be of another type: aliases that say so ---- */

typedef uint32_t __attribute__((aligned(1), may_alias)) trib_any_uint32;
typedef uint64_t __attribute__((aligned(1), may_alias)) trib_any_uint64;
typedef int32_t __attribute__((aligned(1), may_alias)) trib_any_int32;
typedef int64_t __attribute__((aligned(1), may_alias)) trib_any_int64;
typedef float __attribute__((aligned(1), may_alias)) trib_any_float;
typedef double __attribute__((aligned(1), may_alias)) trib_any_double;

/* ---- error.c ---- */

/** Sets the thread's last error, of no place; returns the status. */
int trib_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3), cold));
/** Sets the thread's last error to a problem at an address. */
int trib_fail_at(int status, const char *problem, int rank, int64_t segment, int64_t offset, int64_t length,
                 int64_t limit) __attribute__((cold));
/** Puts words before the message of the thread's last error; returns its status. */
int trib_fail_prefix(const char *format, ...) __attribute__((format(printf, 1, 2), cold));
/** A copy of the thread's last error that can go to another thread; may be NULL when memory is short. */
trib_error *trib_error_copy(void);
/** Makes a copy the thread's last error and frees it; returns its status. */
int trib_error_raise(trib_error *copy);

/* ---- release.c ---- */

#define TRIB_RELEASE_BYTES 64

/** Which release this is, as processes compare it: version and digest of the message schema. */
void trib_release_text(char text[TRIB_RELEASE_BYTES]);

/* ---- settings.c ---- */

struct trib_settings {
    int dedicated; /* wait.preset = dedicated */
    int throws; /* job.on-failure = throw */
    int64_t wait_spin_ns;
    int64_t connect_timeout_ns;
    int64_t silence_timeout_ns;
    int64_t attach_timeout_ns;
    int64_t buffer; /* for requests, and another one for replies */
    int64_t socket_buffer;
    int encryption;
    int fabric;
    int64_t fabric_channels; /* that a server gives to ranks */
    int64_t chunk;
    int cooperation_mode;
    int cooperation_scope;
    int64_t cooperation_group_size;
    const char *cooperation_groups; /* the text as given, which is read while the rank attaches */
    int64_t cooperation_channel_bytes;
    int64_t cooperation_bulk_threshold;
    int64_t cooperation_direct_connections;
    int cooperation_reorders; /* cooperation.reorder-floating-point = yes: compared, and used by servers only */
    int64_t notify_max_sources; /* compared, and used by servers only */
    char shm_directory[PATH_MAX];
};

/**
 * From the environment, overridden by "key=value" texts (NULL-terminated, or NULL). When it fails, with the first that
 * is wrong, each wrong setting has its default.
 */
int trib_settings_read(struct trib_settings *settings, const char *const *assignments);
/** Those of isspace. */
#define TRIB_BLANKS " \t\n\v\f\r"
/** Moves to the first character that is no blank; how many there are up to the last such. */
size_t trib_strip(const char **text);
/** Whether cooperation.groups names none: groups of nodes that follow each other. */
bool trib_is_consecutive(const char *groups);
/** Whether a block for requests can have that design, one of TRIB_FABRIC_CHANNELS_..., and so many bytes. */
bool trib_channel_design_fits(int design, int64_t bytes);
/** Whether each message takes a slot of the block, whatever its length. */
bool trib_channel_design_is_fixed(int design);
/** Gives every setting that all processes of a job must have alike, in the form in which they are compared. */
void trib_settings_shared(const struct trib_settings *settings,
                          void (*take)(void *context, const char *key, const char *text, size_t bytes), void *context);

/* ---- place.c ---- */

struct trib_place {
    char job_id[TRIB_JOB_ID_BYTES + 1];
    uint8_t *secret;
    size_t secret_bytes;
    struct trib_topology topology;
    int rank;
    int node;
    char *servers;      /* comma-separated; NULL until a file of them is complete; atomic */
    char *servers_file; /* or NULL */
    bool supervised;
    char agreement[TRIB_AGREEMENT_BYTES + 1]; /* what all processes of the job must have alike, set with the routes */
};

/** From the environment. */
int trib_place_read(struct trib_place *place);
/** From a description. */
int trib_place_set(struct trib_place *place, const trib_job *description);
void trib_place_free(struct trib_place *place);
/** The address of a node's server; an empty text when it is not known yet. */
int trib_place_server(struct trib_place *place, int node, char address[TRIB_SERVER_NAME_BYTES]);

/* ---- clock.c ---- */

int64_t trib_now_ns(void);
/** Sleeps for so long, less than a second. */
void trib_park(int64_t ns);
/** The number of the machine's last start, by which processes share a clock; "unknown" when nobody tells. */
void trib_boot_id(char id[TRIB_TRACE_BOOT_BYTES + 1]);

static inline struct timespec trib_timespec(int64_t ns) {
    return (struct timespec) {.tv_sec = ns / TRIB_NS_PER_S, .tv_nsec = ns % TRIB_NS_PER_S};
}

static inline void trib_pause(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield" ::: "memory");
#endif
}

/* ---- deadlines, as org.tributary.wire.Deadline ---- */

/*
 * Time counts only while the caller looks now and then. A process that was stopped has its time left when it goes on,
 * and finds what has come for it meanwhile.
 */

struct trib_deadline {
    struct trib_deadline *whole; /* with which this one ends at the latest, or NULL; looked at with it */
    int64_t left_ns;
    int64_t looked_ns;
};

/** Begins now. */
static inline struct trib_deadline trib_deadline_in(int64_t timeout_ns, struct trib_deadline *whole) {
    return (struct trib_deadline) {.whole = whole, .left_ns = timeout_ns, .looked_ns = trib_now_ns()};
}

/** The time that is left, in nanoseconds; negative or 0 when it is over. */
static inline int64_t trib_deadline_left(struct trib_deadline *deadline) {
    int64_t now_ns = trib_now_ns();
    int64_t passed_ns = now_ns - deadline->looked_ns;
    deadline->left_ns -= passed_ns < TRIB_DEADLINE_COUNTED_NS ? passed_ns : TRIB_DEADLINE_COUNTED_NS;
    deadline->looked_ns = now_ns;
    int64_t whole_ns = deadline->whole == NULL ? deadline->left_ns : trib_deadline_left(deadline->whole);
    return whole_ns < deadline->left_ns ? whole_ns : deadline->left_ns;
}

/** How long to sleep until the next look, in milliseconds; 0 when it is over, for a last one. */
static inline int trib_deadline_look_ms(struct trib_deadline *deadline) {
    int64_t left_ns = trib_deadline_left(deadline);
    return left_ns <= 0 ? 0
        : (int) ((left_ns < TRIB_DEADLINE_LOOK_NS ? left_ns : TRIB_DEADLINE_LOOK_NS) / 1000000) + 1;
}

#endif
