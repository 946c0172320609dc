/*
 * PMIx, by its library: mpirun of Open MPI, srun --mpi=pmix. The library is loaded, so nobody needs it to build or to
 * start a program. Structures are those of the PMIx standard, 2.0 and later; see PmixLibrary of
 * org.tributary.client.bootstrap.
 */
#include "bootstrap.h"

#include <dlfcn.h>
#include <time.h>

#define LIBRARY "libpmix.so.2"
#define EVERY_RANK 0xfffffffeU

enum { PMIX_BOOL = 1, PMIX_STRING = 3, PMIX_UINT32 = 14, PMIX_GLOBAL = 3 };

struct proc {
    char space[256];
    uint32_t rank;
};

struct value {
    uint16_t type;
    union {
        bool flag;
        char *string;
        uint32_t number;
        uint64_t room[3];
    } data;
};

struct info {
    char key[512];
    uint32_t flags;
    struct value value;
};

_Static_assert(sizeof(struct proc) == 260 && sizeof(struct value) == 32 && sizeof(struct info) == 552,
               "structures are those of PMIx");

static struct {
    int (*init)(struct proc *self, struct info *infos, size_t count);
    int (*finish)(const struct info *infos, size_t count);
    int (*put)(uint8_t scope, const char *key, struct value *value);
    int (*commit)(void);
    int (*fence)(const struct proc *procs, size_t count, const struct info *infos, size_t infos_count);
    int (*get)(const struct proc *of, const char *key, const struct info *infos, size_t count, struct value **value);
    int (*abort)(int status, const char *message, struct proc *procs, size_t count);
    struct proc self;
    bool has_rank; /* in self */
    int64_t timeout_ns;
    bool stuck;
} pmix;

/** A call of the library, made by a thread of its own: the library has no deadlines. */
struct call {
    int (*step)(struct call *call);
    char key[64];
    char text[TRIB_PMIX_VALUE_BYTES + 1];
    uint32_t rank;
    int status;
    bool done;
    bool abandoned; /* then the thread frees it */
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

static int step_init(struct call *call) {
    (void) call;
    return pmix.init(&pmix.self, NULL, 0);
}

static int step_put(struct call *call) {
    struct value value = {.type = PMIX_STRING, .data.string = call->text};
    return pmix.put(PMIX_GLOBAL, call->key, &value);
}

static int step_fence(struct call *call) {
    (void) call;
    struct info collect = {.key = "pmix.collect", .value = {.type = PMIX_BOOL, .data.flag = true}};
    int status = pmix.commit();
    return status != 0 ? status : pmix.fence(NULL, 0, &collect, 1);
}

/** The text becomes the value, a number in digits. */
static int step_get(struct call *call) {
    struct proc of = pmix.self;
    struct value *value = NULL;
    of.rank = call->rank;
    int status = pmix.get(&of, call->key, NULL, 0, &value);
    if (status != 0) {
        return status;
    }
    if (value->type == PMIX_STRING) {
        snprintf(call->text, sizeof call->text, "%s", value->data.string);
        free(value->data.string);
    } else {
        snprintf(call->text, sizeof call->text, "%u", value->type == PMIX_UINT32 ? (unsigned) value->data.number : 0);
    }
    free(value);
    return 0;
}

static int step_abort(struct call *call) {
    return pmix.abort((int) call->rank, call->text, NULL, 0);
}

static int step_finish(struct call *call) {
    (void) call;
    return pmix.finish(NULL, 0);
}

static void free_call(struct call *call) {
    pthread_mutex_destroy(&call->lock);
    pthread_cond_destroy(&call->changed);
    free(call);
}

static void *run(void *context) {
    struct call *call = context;
    int status = call->step(call);
    pthread_mutex_lock(&call->lock);
    call->status = status;
    call->done = true;
    bool abandoned = call->abandoned;
    pthread_cond_signal(&call->changed);
    pthread_mutex_unlock(&call->lock);
    if (abandoned) {
        free_call(call);
    }
    return NULL;
}

static void tell_wait(const char *name, int64_t waited_ns, int64_t within_ns) {
    char rank[32] = "a rank";
    if (pmix.has_rank) {
        snprintf(rank, sizeof rank, "rank %u", (unsigned) pmix.self.rank);
    }
    fprintf(stderr, "tributary: %s still waits for %s of the process manager (%lld s of %lld s)\n", rank, name,
            (long long) (waited_ns / TRIB_NS_PER_S), (long long) (within_ns / TRIB_NS_PER_S));
}

/** Waits for it in steps, as a deadline needs. */
static bool await(struct call *call, const char *name, int64_t within_ns) {
    struct trib_deadline deadline = trib_deadline_in(within_ns, NULL);
    int64_t began_ns = trib_now_ns();
    int64_t notice_after_ns = TRIB_NOTICE_AFTER_NS;
    pthread_mutex_lock(&call->lock);
    while (!call->done && trib_deadline_left(&deadline) > 0) {
        int64_t waited_ns = trib_now_ns() - began_ns;
        if (waited_ns >= notice_after_ns) {
            tell_wait(name, waited_ns, within_ns);
            notice_after_ns = 2 * waited_ns;
        }
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        int64_t at_ns = until.tv_sec * TRIB_NS_PER_S + until.tv_nsec + TRIB_DEADLINE_LOOK_NS;
        until = trib_timespec(at_ns);
        pthread_cond_timedwait(&call->changed, &call->lock, &until);
    }
    bool done = call->done;
    call->abandoned = !done;
    pthread_mutex_unlock(&call->lock);
    return done;
}

/** text: of the call, and its result; of TRIB_PMIX_VALUE_BYTES + 1. */
static int within(int64_t within_ns, const char *name, int (*step)(struct call *), uint32_t rank, const char *key,
                  char *text) {
    struct call *call = calloc(1, sizeof *call);
    pthread_t thread;
    if (call == NULL) {
        return trib_fail(TRIB_NO_MEMORY, "no memory for a call of PMIx");
    }
    call->step = step;
    call->rank = rank;
    snprintf(call->key, sizeof call->key, "%s", key);
    snprintf(call->text, sizeof call->text, "%s", text == NULL ? "" : text);
    pthread_mutex_init(&call->lock, NULL);
    pthread_cond_init(&call->changed, NULL);
    if (pthread_create(&thread, NULL, run, call) != 0) {
        free_call(call);
        return trib_fail(TRIB_SYSTEM, "no thread for a call of PMIx");
    }
    pthread_detach(thread);
    if (!await(call, name, within_ns)) {
        pmix.stuck = true;
        return trib_fail(TRIB_ATTACH_FAILED, "%s has not returned within %.1f s (%sattach.timeout)", name,
                         (double) within_ns / TRIB_NS_PER_S, within_ns == pmix.timeout_ns ? "" : "twice ");
    }
    int status = call->status;
    if (text != NULL) {
        memcpy(text, call->text, sizeof call->text);
    }
    free_call(call);
    return status == 0 ? TRIB_OK : trib_fail(TRIB_ATTACH_FAILED, "%s fails with status %d", name, status);
}

static int pmix_put(struct trib_key_values *values, const char *key, const char *value) {
    char text[TRIB_PMIX_VALUE_BYTES + 1];
    (void) values;
    snprintf(text, sizeof text, "%s", value);
    return within(pmix.timeout_ns, "PMIx_Put", step_put, 0, key, text);
}

static int pmix_get(struct trib_key_values *values, int rank, const char *key, char *value, size_t room) {
    char text[TRIB_PMIX_VALUE_BYTES + 1] = "";
    (void) values;
    TRIB_TRY(within(pmix.timeout_ns, "PMIx_Get", step_get, (uint32_t) rank, key, text));
    snprintf(value, room, "%s", text);
    return TRIB_OK;
}

static int pmix_barrier(struct trib_key_values *values) {
    int status = within(2 * pmix.timeout_ns, "PMIx_Fence", step_fence, 0, "", NULL);
    return status == TRIB_OK ? TRIB_OK
        : trib_fail(status, "%s; do all %d ranks attach?", trib_last_error()->message, values->size);
}

static void pmix_abort(struct trib_key_values *values, int exit_code, const char *message) {
    char text[TRIB_PMIX_VALUE_BYTES + 1];
    (void) values;
    snprintf(text, sizeof text, "%s", message);
    within(pmix.timeout_ns, "PMIx_Abort", step_abort, (uint32_t) exit_code, "", text);
}

static void pmix_leave(struct trib_key_values *values) {
    (void) values;
    if (!pmix.stuck) {
        within(pmix.timeout_ns, "PMIx_Finalize", step_finish, 0, "", NULL);
    }
}

static bool find(void *library, const char *name, void *function) {
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

bool trib_pmix_is_offered(void) {
    const char *space = getenv("PMIX_NAMESPACE");
    return space != NULL && *space != '\0';
}

int trib_pmix_open(struct trib_key_values *values, int64_t timeout_ns, bool *installed) {
    char text[TRIB_PMIX_VALUE_BYTES + 1] = "";
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    *installed = library != NULL && find(library, "PMIx_Init", &pmix.init)
        && find(library, "PMIx_Finalize", &pmix.finish) && find(library, "PMIx_Put", &pmix.put)
        && find(library, "PMIx_Commit", &pmix.commit) && find(library, "PMIx_Fence", &pmix.fence)
        && find(library, "PMIx_Get", &pmix.get) && find(library, "PMIx_Abort", &pmix.abort);
    if (!*installed) {
        return TRIB_OK;
    }
    pmix.timeout_ns = timeout_ns;
    *values = (struct trib_key_values) {.name = "PMIx", .value_bytes = TRIB_PMIX_VALUE_BYTES, .put = pmix_put,
        .get = pmix_get, .barrier = pmix_barrier, .abort = pmix_abort, .leave = pmix_leave};
    TRIB_TRY(within(timeout_ns, "PMIx_Init", step_init, 0, "", NULL));
    pmix.has_rank = true;
    TRIB_TRY(within(timeout_ns, "PMIx_Get of pmix.job.size", step_get, EVERY_RANK, "pmix.job.size", text));
    values->rank = (int) pmix.self.rank;
    values->size = atoi(text);
    return values->rank < values->size ? TRIB_OK
        : trib_fail(TRIB_ATTACH_FAILED, "PMIx says that this is rank %d of %d", values->rank, values->size);
}
