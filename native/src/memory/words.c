/* Single values, and atomic read-modify-write of words. */
#include "check.h"
#include "remote.h"

#include "wire/atomicOp.h"

#define VALUE(suffix, type)                                                                                        \
    int trib_put_##suffix(trib_memory *memory, int rank, size_t offset, type value) {                              \
        return trib_put(memory, rank, offset, &value, sizeof value);                                               \
    }                                                                                                              \
    int trib_get_##suffix(trib_memory *memory, int rank, size_t offset, type *value) {                             \
        return trib_get(memory, rank, offset, value, sizeof *value);                                               \
    }

VALUE(i32, int32_t)
VALUE(i64, int64_t)
VALUE(f32, float)
VALUE(f64, double)

/**
 * An operation on words of one width: on the node one CPU instruction, of the same kind as the server's, on the word
 * that the server would change.
 */
#define ATOMIC(name, suffix, type, op, on_node)                                                                    \
    int trib_##name##_##suffix(trib_memory *memory, int rank, size_t offset, type operand, type *old) {            \
        const struct trib_part *part;                                                                              \
        type unwanted;                                                                                             \
        type *was = old == NULL ? &unwanted : old;                                                                 \
        TRIB_TRY(trib_check_word(memory, rank, offset, sizeof operand, &part));                                    \
        if (part != NULL) {                                                                                        \
            *was = on_node((type *) (void *) (part->base + offset), operand, __ATOMIC_SEQ_CST);                    \
            return TRIB_OK;                                                                                        \
        }                                                                                                          \
        int64_t value = 0;                                                                                         \
        int status = trib_remote_atomic(memory, rank, (int64_t) offset, op, sizeof operand, operand, 0, &value);   \
        if (status == TRIB_OK) {                                                                                   \
            *was = (type) value;                                                                                   \
        }                                                                                                          \
        return status;                                                                                             \
    }

ATOMIC(fetch_add, i32, int32_t, wire_atomicOp_FETCH_AND_ADD, __atomic_fetch_add)
ATOMIC(fetch_add, i64, int64_t, wire_atomicOp_FETCH_AND_ADD, __atomic_fetch_add)
ATOMIC(swap, i32, int32_t, wire_atomicOp_SWAP, __atomic_exchange_n)
ATOMIC(swap, i64, int64_t, wire_atomicOp_SWAP, __atomic_exchange_n)

#define COMPARE_SWAP(suffix, type)                                                                                 \
    int trib_compare_swap_##suffix(trib_memory *memory, int rank, size_t offset, type expected, type value,        \
                                   type *old) {                                                                    \
        const struct trib_part *part;                                                                              \
        int64_t was = 0;                                                                                           \
        int status = TRIB_OK;                                                                                      \
        TRIB_TRY(trib_check_word(memory, rank, offset, sizeof value, &part));                                      \
        if (part != NULL) {                                                                                        \
            type *word = (type *) (void *) (part->base + offset);                                                  \
            __atomic_compare_exchange_n(word, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);        \
            was = expected;                                                                                        \
        } else {                                                                                                   \
            status = trib_remote_atomic(memory, rank, (int64_t) offset, wire_atomicOp_COMPARE_AND_SWAP,            \
                                        sizeof value, value, expected, &was);                                      \
        }                                                                                                          \
        if (old != NULL && status == TRIB_OK) {                                                                    \
            *old = (type) was;                                                                                     \
        }                                                                                                          \
        return status;                                                                                             \
    }

COMPARE_SWAP(i32, int32_t)
COMPARE_SWAP(i64, int64_t)
