/*
 * The trace of a rank's operations and waits, in a file that survives it: see org.tributary.wire.shm.TraceLayout, and
 * Trace, which does the same.
 */
#include "rank.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mapping.h"

#define MOST_LEFT_OUT (2 * TRIB_TRACE_SAMPLE - 1)
#define RAREST_LEFT_OUT (2 * TRIB_TRACE_RAREST_SAMPLE - 1)
#define MOST_ADDED (2 * TRIB_TRACE_ANSWERED_SAMPLE - 1)
#define FAR_APART_NS (4 * TRIB_TRACE_SAMPLE_NS)

static int32_t thread_id(void) {
    static _Thread_local int32_t id;
    if (id == 0) {
        id = (int32_t) syscall(SYS_gettid);
    }
    return id;
}

static int32_t *int_at(uint8_t *at) {
    return (int32_t *) (void *) at;
}

static int64_t *long_at(uint8_t *at) {
    return (int64_t *) (void *) at;
}

/** Fills the header; the file is all zeros. */
static void write_header(const trib *job, uint8_t *memory) {
    struct timespec real;
    *int_at(memory + TRIB_TRACE_VERSION_OFFSET) = TRIB_TRACE_VERSION;
    *int_at(memory + TRIB_TRACE_RANK_OFFSET) = job->place.rank;
    *int_at(memory + TRIB_TRACE_NODE_OFFSET) = job->place.node;
    *int_at(memory + TRIB_TRACE_RANKS_OFFSET) = job->place.topology.rank_count;
    *long_at(memory + TRIB_TRACE_CAPACITY_OFFSET) = TRIB_TRACE_CAPACITY;
    clock_gettime(CLOCK_REALTIME, &real);
    *long_at(memory + TRIB_TRACE_MONOTONIC_OFFSET) = trib_now_ns();
    *long_at(memory + TRIB_TRACE_REAL_OFFSET) = real.tv_sec * TRIB_NS_PER_S + real.tv_nsec;
    memcpy(memory + TRIB_TRACE_JOB_OFFSET, job->place.job_id, strnlen(job->place.job_id, TRIB_TRACE_JOB_BYTES));
    char boot[TRIB_TRACE_BOOT_BYTES + 1];
    trib_boot_id(boot);
    memcpy(memory + TRIB_TRACE_BOOT_OFFSET, boot, strlen(boot));
    /* Partner: a reader of the file. */
    __atomic_store_n(long_at(memory + TRIB_TRACE_MAGIC_OFFSET), TRIB_TRACE_MAGIC, __ATOMIC_RELEASE);
}

static int refuse(const trib *job, const char *path, int error) {
    return trib_fail(TRIB_ATTACH_FAILED, "rank %d cannot record: %s: %s%s", job->place.rank, path, strerror(error),
                     error == EEXIST ? "; name another folder for the trace, or remove it"
                     : error == ENOSPC ? "; a trace takes 16 MiB: free some or name another folder" : "");
}

/** Makes the folders above a file that do not exist; what cannot be made is found when the file is. */
static void make_folders(char *path) {
    for (char *at = strchr(path + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        mkdir(path, 0777);
        *at = '/';
    }
}

/** Reserves the file; returns 0 or an errno. A signal of the program interrupts it, and pieces get done between two. */
static int reserve(int file) {
    int64_t done = 0;
    int error = 0;
    while (done < TRIB_TRACE_FILE_BYTES && error == 0) {
        int64_t left = TRIB_TRACE_FILE_BYTES - done;
        int64_t piece = left < TRIB_RESERVED_AT_ONCE ? left : TRIB_RESERVED_AT_ONCE;
        error = posix_fallocate(file, done, piece);
        if (error == EINTR) {
            error = 0;
        } else {
            done += piece;
        }
    }
    return error;
}

int trib_trace_open(trib *job, const char *folder) {
    char path[PATH_MAX];
    size_t bytes = folder == NULL ? 0 : trib_strip(&folder);
    if (bytes == 0) {
        return TRIB_OK;
    }
    int length = snprintf(path, sizeof path, "%.*s/%s.%d" TRIB_TRACE_FILE, (int) bytes, folder, job->place.job_id,
                          job->place.rank);
    if (*folder != '/' || length < 0 || (size_t) length >= sizeof path) {
        return trib_fail(TRIB_ATTACH_FAILED, "TRIBUTARY_TRACE: '%.200s' is not an absolute path, or too long", folder);
    }
    make_folders(path);
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) {
        return refuse(job, path, errno);
    }
    int error = reserve(file);
    uint8_t *memory = error != 0 ? MAP_FAILED
        : mmap(NULL, TRIB_TRACE_FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) {
        error = error != 0 ? error : errno;
        unlink(path);
        close(file);
        return refuse(job, path, error);
    }
    close(file);
    /* Before the first store: should the file be truncated, the handler is to know it. */
    if (!trib_mapping_add(memory, TRIB_TRACE_FILE_BYTES, path, job->place.rank)) {
        munmap(memory, TRIB_TRACE_FILE_BYTES);
        unlink(path);
        return trib_fail(TRIB_NO_MEMORY, "no memory to remember the mapping of %s", path);
    }
    write_header(job, memory);
    job->trace.random = (uint32_t) trib_now_ns() | 1;
    job->trace.memory = memory;
    return TRIB_OK;
}

static uint8_t *place_of(uint8_t *memory, int64_t number) {
    return memory + TRIB_TRACE_RECORDS_OFFSET + (number & (TRIB_TRACE_CAPACITY - 1)) * TRIB_TRACE_RECORD_BYTES;
}

/** Returns the number of the record. */
static int64_t record(uint8_t *memory, int kind, int64_t began_ns, int64_t duration_ns, int32_t count, int64_t bytes,
                      int peer, int64_t segment, int64_t number) {
    int64_t next = __atomic_fetch_add(long_at(memory + TRIB_TRACE_NEXT_OFFSET), 1, __ATOMIC_SEQ_CST);
    uint8_t *at = place_of(memory, next);
    __atomic_store_n(long_at(at + TRIB_TRACE_SEQUENCE_OFFSET), 0, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE); /* a reader that finds a field finds the record begun */
    *long_at(at + TRIB_TRACE_BEGAN_OFFSET) = began_ns;
    *long_at(at + TRIB_TRACE_DURATION_OFFSET) = duration_ns;
    *long_at(at + TRIB_TRACE_BYTES_OFFSET) = bytes;
    *int_at(at + TRIB_TRACE_COUNT_OFFSET) = count;
    *int_at(at + TRIB_TRACE_KIND_OFFSET) = kind;
    *int_at(at + TRIB_TRACE_PEER_OFFSET) = peer;
    *int_at(at + TRIB_TRACE_THREAD_OFFSET) = thread_id();
    *long_at(at + TRIB_TRACE_SEGMENT_OFFSET) = segment;
    *long_at(at + TRIB_TRACE_NUMBER_OFFSET) = number;
    /* Partner: a reader of the file, when the rank has ended. */
    __atomic_store_n(long_at(at + TRIB_TRACE_SEQUENCE_OFFSET), next + 1, __ATOMIC_RELEASE);
    return next;
}

/** Has a record stand for so many; false when it is old, and its place soon that of another, or so it seems. */
static bool enlarge(uint8_t *memory, int64_t number, int32_t count, int64_t bytes) {
    int64_t next = __atomic_load_n(long_at(memory + TRIB_TRACE_NEXT_OFFSET), __ATOMIC_ACQUIRE);
    uint8_t *at = place_of(memory, number);
    if (next <= number || (uint64_t) next - (uint64_t) number > TRIB_TRACE_GROWS) {
        return false;
    }
    *long_at(at + TRIB_TRACE_BYTES_OFFSET) = bytes;
    *int_at(at + TRIB_TRACE_COUNT_OFFSET) = count;
    return true;
}

void trib_trace_waited(const trib *job, const struct trib_cause *wait, int64_t since_ns) {
    uint8_t *memory = job->trace.memory;
    int64_t duration_ns = memory == NULL ? 0 : trib_now_ns() - since_ns;
    if (duration_ns >= TRIB_TRACE_LEAST_WAIT_NS) {
        record(memory, TRIB_TRACE_WAIT + wait->kind, since_ns, duration_ns, 1, 0, wait->peer, wait->segment,
               wait->number);
    }
}

void trib_traced_begin(struct trib_traced *traced) {
    traced->began_ns = trib_now_ns();
}

/** Of a sample, how many are held back; takes them. */
static int32_t take_held(struct trib_trace_sample *sample, int32_t left) {
    int32_t drawn = __atomic_exchange_n(&sample->drawn, left, __ATOMIC_RELAXED);
    int32_t held = drawn - __atomic_exchange_n(&sample->left, left, __ATOMIC_RELAXED);
    return held > 0 ? held : 0;
}

/** How many of a sample not to record next, at most so many. */
static int32_t draw(struct trib_trace *trace, int32_t most) {
    uint32_t random = trib_next_random(__atomic_load_n(&trace->random, __ATOMIC_RELAXED));
    __atomic_store_n(&trace->random, random, __ATOMIC_RELAXED);
    return (int32_t) (random >> 1) & most;
}

/** What may be drawn after `most`: soon `usual`, and more where records are close to each other. */
static int32_t next_most(int32_t most, int32_t usual, int64_t apart_ns) {
    if (most < usual || (apart_ns < TRIB_TRACE_SAMPLE_NS && most < RAREST_LEFT_OUT)) {
        return 2 * most + 1;
    }
    return apart_ns > FAR_APART_NS && most > usual ? most >> 1 : most;
}

/** An operation has taken so long; with a sample, it stands for those before it. */
static void finish(const struct trib_traced *traced, int64_t duration_ns, struct trib_trace_sample *sample) {
    struct trib_trace *trace = &traced->job->trace;
    int32_t held = 0;
    int64_t bytes = 0;
    if (sample != NULL && __atomic_exchange_n(&sample->taken, 1, __ATOMIC_ACQUIRE) != 0) {
        trib_trace_count(sample, traced->bytes); /* another thread records at this moment */
        return;
    }
    if (sample != NULL) {
        sample->most = next_most(sample->most, MOST_LEFT_OUT, traced->began_ns - sample->last_began_ns);
        sample->last_began_ns = traced->began_ns;
        held = take_held(sample, draw(trace, sample->most));
        bytes = __atomic_exchange_n(&sample->bytes, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&sample->last_ns, duration_ns, __ATOMIC_RELAXED);
        __atomic_store_n(&sample->taken, 0, __ATOMIC_RELEASE);
    }
    record(trace->memory, traced->operation, traced->began_ns, duration_ns, held + 1, bytes + traced->bytes,
           traced->peer, traced->segment, traced->number);
}

/** A short operation that waited for an answer has taken so long. */
static void answered(const struct trib_traced *traced, int64_t duration_ns) {
    struct trib_trace *trace = &traced->job->trace;
    struct trib_trace_answered *sample = &trace->answered[traced->operation];
    if (__atomic_exchange_n(&sample->taken, 1, __ATOMIC_ACQUIRE) != 0) {
        finish(traced, duration_ns, NULL); /* another thread is here at this moment */
        return;
    }
    if (sample->left > 0 && traced->began_ns - sample->last_began_ns <= FAR_APART_NS
        && enlarge(trace->memory, sample->record, sample->count + 1, sample->bytes + traced->bytes)) {
        sample->left--;
        sample->count++;
        sample->bytes += traced->bytes;
    } else {
        sample->record = record(trace->memory, traced->operation, traced->began_ns, duration_ns, 1, traced->bytes,
                                traced->peer, traced->segment, traced->number);
        sample->count = 1;
        sample->bytes = traced->bytes;
        sample->most = next_most(sample->most, MOST_ADDED, traced->began_ns - sample->last_began_ns);
        sample->last_began_ns = traced->began_ns;
        sample->left = draw(trace, sample->most);
    }
    __atomic_store_n(&sample->taken, 0, __ATOMIC_RELEASE); /* partner: the exchange of the next thread */
}

void trib_traced_finish(const struct trib_traced *traced) {
    int64_t duration_ns = (traced->ended_ns == 0 ? trib_now_ns() : traced->ended_ns) - traced->began_ns;
    if (traced->bytes >= TRIB_TRACE_LARGE_BYTES || duration_ns >= TRIB_TRACE_LEAST_WAIT_NS) {
        finish(traced, duration_ns, NULL); /* stands for itself only */
    } else if (traced->one_way) {
        finish(traced, duration_ns, &traced->job->trace.samples[traced->operation]);
    } else {
        answered(traced, duration_ns);
    }
}

void trib_traced_each(const struct trib_traced *traced) {
    finish(traced, trib_now_ns() - traced->began_ns, NULL);
}

void trib_traced_sampled(const struct trib_traced *traced, struct trib_trace_sample *sample) {
    int64_t duration_ns = trib_now_ns() - traced->began_ns;
    if (duration_ns >= TRIB_TRACE_LEAST_WAIT_NS) {
        finish(traced, duration_ns, NULL);
    } else if (trib_trace_is_due(sample)) {
        finish(traced, duration_ns, sample);
    } else {
        trib_trace_count(sample, traced->bytes);
    }
}

void trib_trace_flush(trib *job, struct trib_trace_sample samples[TRIB_TRACE_OPERATIONS]) {
    uint8_t *memory = job->trace.memory;
    for (int operation = 0; memory != NULL && operation < TRIB_TRACE_OPERATIONS; operation++) {
        struct trib_trace_sample *sample = &samples[operation];
        int32_t held = take_held(sample, 0);
        int64_t bytes = __atomic_exchange_n(&sample->bytes, 0, __ATOMIC_RELAXED);
        int64_t last_ns = __atomic_load_n(&sample->last_ns, __ATOMIC_RELAXED);
        if (held > 0) {
            record(memory, operation, trib_now_ns() - last_ns, last_ns, held, bytes, -1, 0, 0);
        }
    }
}

void trib_trace_finish(trib *job) {
    uint8_t *memory = job->trace.memory;
    if (memory == NULL) {
        return;
    }
    trib_trace_flush(job, job->trace.samples);
    if (!trib_has_failed(job)) {
        *long_at(memory + TRIB_TRACE_LEFT_OFFSET) = trib_now_ns();
    }
}

void trib_trace_close(trib *job) {
    if (job->trace.memory != NULL) {
        trib_mapping_remove(job->trace.memory);
        munmap(job->trace.memory, TRIB_TRACE_FILE_BYTES);
        job->trace.memory = NULL;
    }
}
