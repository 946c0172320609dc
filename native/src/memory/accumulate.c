#include "accumulate.h"

#include <sched.h>
#include <time.h>

static const struct {
    int bytes;
    int alignment;
} types[] = {TRIB_ELEMENT_SIZES};

static bool is_valid(int type) {
    return type >= TRIB_INT32 && type <= TRIB_COMPLEX_DOUBLE;
}

size_t trib_type_bytes(int type) {
    return is_valid(type) ? (size_t) types[type].bytes : 0;
}

int64_t trib_type_alignment(int type) {
    return types[type].alignment;
}

static int64_t bits_of(int type, const uint8_t *component) {
    uint32_t narrow;
    int64_t wide;
    switch (type) {
        case TRIB_INT32:
            memcpy(&narrow, component, sizeof narrow);
            return (int32_t) narrow;
        case TRIB_FLOAT:
        case TRIB_COMPLEX_FLOAT:
            memcpy(&narrow, component, sizeof narrow);
            return narrow;
        default:
            memcpy(&wide, component, sizeof wide);
            return wide;
    }
}

int trib_factor_set(struct trib_factor *factor, int type, const void *scale) {
    static const int32_t one_int32 = 1;
    static const int64_t one_int64 = 1;
    static const float one_float[2] = {1, 0};
    static const double one_double[2] = {1, 0};
    static const void *const ones[] = {&one_int32, &one_int64, one_float, one_double, one_float, one_double};
    if (!is_valid(type)) {
        return trib_fail(TRIB_INVALID_ARGUMENT, "no element type %d; there are %d to %d", type, TRIB_INT32,
                         TRIB_COMPLEX_DOUBLE);
    }
    const uint8_t *value = scale == NULL ? ones[type] : scale;
    factor->type = type;
    factor->re = bits_of(type, value);
    factor->im = type >= TRIB_COMPLEX_FLOAT ? bits_of(type, value + types[type].alignment) : 0;
    return TRIB_OK;
}

static float float_of(int64_t bits) {
    uint32_t narrow = (uint32_t) bits;
    float value;
    memcpy(&value, &narrow, sizeof value);
    return value;
}

static double double_of(int64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#define ADD(name, type, element)                                                                                   \
    static void name(element scale, const uint8_t *source, uint8_t *target, int64_t n) {                           \
        const type *from = (const type *) source;                                                                  \
        type *to = (type *) target;                                                                                \
        for (int64_t i = 0; i < n; i++) {                                                                          \
            to[i] += scale * from[i];                                                                              \
        }                                                                                                          \
    }

ADD(add_int32, trib_any_uint32, uint32_t)
ADD(add_int64, trib_any_uint64, uint64_t)
ADD(add_float, trib_any_float, float)
ADD(add_double, trib_any_double, double)

#define ADD_COMPLEX(name, type, component)                                                                         \
    static void name(component re, component im, const uint8_t *source, uint8_t *target, int64_t n) {              \
        const type *from = (const type *) source;                                                                  \
        type *to = (type *) target;                                                                                \
        for (int64_t i = 0; i < 2 * n; i += 2) {                                                                   \
            to[i] += re * from[i] - im * from[i + 1];                                                              \
            to[i + 1] += re * from[i + 1] + im * from[i];                                                          \
        }                                                                                                          \
    }

ADD_COMPLEX(add_complex_float, trib_any_float, float)
ADD_COMPLEX(add_complex_double, trib_any_double, double)

void trib_factor_add(const struct trib_factor *factor, const uint8_t *source, uint8_t *target, int64_t bytes) {
    int64_t n = bytes / types[factor->type].bytes;
    switch (factor->type) {
        case TRIB_INT32:
            add_int32((uint32_t) factor->re, source, target, n);
            break;
        case TRIB_INT64:
            add_int64((uint64_t) factor->re, source, target, n);
            break;
        case TRIB_FLOAT:
            add_float(float_of(factor->re), source, target, n);
            break;
        case TRIB_DOUBLE:
            add_double(double_of(factor->re), source, target, n);
            break;
        case TRIB_COMPLEX_FLOAT:
            if (float_of(factor->im) == 0) { /* a real scale works by components, and infinities stay what they are */
                add_float(float_of(factor->re), source, target, 2 * n);
                break;
            }
            add_complex_float(float_of(factor->re), float_of(factor->im), source, target, n);
            break;
        default:
            if (double_of(factor->im) == 0) {
                add_double(double_of(factor->re), source, target, 2 * n);
                break;
            }
            add_complex_double(double_of(factor->re), double_of(factor->im), source, target, n);
            break;
    }
}

static int32_t *word_of(const trib *job, int lock) {
    return (int32_t *) (void *) (job->node.control + TRIB_CONTROL_LOCKS_OFFSET + (size_t) lock * TRIB_LOCK_BYTES);
}

static bool take(int32_t *word, int32_t from, int32_t token) {
    return __atomic_compare_exchange_n(word, &from, token, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/** Until the holder releases the lock, dies, or the job fails; a holder that was stopped keeps it. */
static int await_holder(const trib *job, int32_t *word, int32_t token) {
    struct timespec pause = {.tv_nsec = TRIB_FIRST_LOCK_PAUSE_NS};
    while (true) {
        int32_t holder = __atomic_load_n(word, __ATOMIC_SEQ_CST);
        if (holder == 0 ? take(word, 0, token) : !trib_node_is_alive(job, holder) && take(word, holder, token)) {
            return TRIB_OK;
        }
        TRIB_TRY(trib_check(job));
        nanosleep(&pause, NULL);
        pause.tv_nsec = pause.tv_nsec < TRIB_LONGEST_LOCK_PAUSE_NS / 2 ? 2 * pause.tv_nsec : TRIB_LONGEST_LOCK_PAUSE_NS;
    }
}

static int await(trib *job, int32_t *word, int32_t token) {
    struct trib_cause wait = {.kind = TRIB_WAIT_ACCUMULATE, .peer = __atomic_load_n(word, __ATOMIC_SEQ_CST)};
    int slot = trib_wait_begin(job, &wait);
    int status = await_holder(job, word, token);
    trib_wait_end(job, slot);
    return status;
}

static int acquire(trib *job, int lock) {
    int32_t *word = word_of(job, lock);
    int32_t token = job->node.index + 1;
    for (int attempts = 0; attempts < TRIB_YIELDS_BEFORE_LIVENESS_CHECK; attempts++) {
        if (__atomic_load_n(word, __ATOMIC_SEQ_CST) == 0 && take(word, 0, token)) {
            return TRIB_OK;
        }
        if (attempts < TRIB_SPINS_BEFORE_YIELD) {
            trib_pause();
        } else {
            sched_yield();
        }
    }
    return await(job, word, token);
}

/**
 * The next holder's compare-and-swap is the partner of this release store. Fails when the lock was overwritten:
 * somebody else may have held it, too.
 */
static int release(trib *job, int lock) {
    int32_t *word = word_of(job, lock);
    int32_t token = job->node.index + 1;
    int32_t found = __atomic_load_n(word, __ATOMIC_RELAXED);
    if (trib_unlikely(found != token)) {
        return trib_job_damaged(job, TRIB_CONTROL_FILE, "lock %d of accumulates, which its holder, %d, finds to hold"
                                " %d", lock, token, found);
    }
    __atomic_store_n(word, 0, __ATOMIC_RELEASE);
    return TRIB_OK;
}

/** Two locks, which may be the same one, lower one first. */
static int acquire_both(trib *job, int one, int two) {
    int status = acquire(job, one < two ? one : two);
    if (status == TRIB_OK && one != two) {
        status = acquire(job, one < two ? two : one);
        if (status != TRIB_OK) {
            release(job, one < two ? one : two); /* whatever becomes of that: the job has failed */
        }
    }
    return status;
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/** Bytes that are added at once from a place of the file on; an element across two stripes by itself. */
static int64_t piece_at(int64_t at, int64_t bytes, int64_t element) {
    int64_t piece = least(least(bytes, TRIB_STRIPE_BYTES - at % TRIB_STRIPE_BYTES), TRIB_TILE_BYTES);
    piece -= piece % element;
    return piece == 0 ? element : piece;
}

int trib_accumulate_on_node(const trib_memory *memory, const struct trib_part *part,
                            const struct trib_factor *factor, const uint8_t *source, int64_t bytes,
                            struct trib_region *target) {
    trib *job = memory->job;
    uint8_t staged[TRIB_TILE_BYTES] __attribute__((aligned(64)));
    while (bytes > 0) {
        uint8_t *to = trib_region_at(target);
        int64_t at = part->file_offset + (to - part->base);
        int64_t piece = piece_at(at, least(bytes, trib_region_contiguous(target)), types[factor->type].bytes);
        /* The caller's memory may have to be paged in, or be none at all: not while others wait for the lock. */
        memcpy(staged, source, (size_t) piece);
        int one = trib_lock_of(memory->id, at);
        int two = trib_lock_of(memory->id, at + piece - 1);
        TRIB_TRY(acquire_both(job, one, two));
        trib_factor_add(factor, staged, to, piece);
        TRIB_TRY(release(job, one));
        TRIB_TRY(two != one ? release(job, two) : TRIB_OK);
        trib_region_advance(target, piece);
        source += piece;
        bytes -= piece;
    }
    return TRIB_OK;
}
