/*
 * Elementwise combination of vectors, with the same bits as in Java: integers wrap around, of minimum and maximum NaN
 * wins and -0 is below +0.
 */
#include "algorithms.h"

#include <math.h>

int trib_reduction_set(struct trib_reduction *reduction, int op, int type) {
    if (op < TRIB_SUM || op > TRIB_BITWISE_XOR || trib_type_bytes(type) == 0) {
        return trib_fail(TRIB_INVALID_ARGUMENT, "no operation %d (%d to %d) or element type %d (%d to %d)", op,
                         TRIB_SUM, TRIB_BITWISE_XOR, type, TRIB_INT32, TRIB_COMPLEX_DOUBLE);
    }
    if (type >= TRIB_COMPLEX_FLOAT && (op == TRIB_MIN || op == TRIB_MAX)) {
        return trib_fail(TRIB_INVALID_ARGUMENT, "no minimum or maximum of complex numbers, which have no order;"
                         " sum and product are defined");
    }
    if (op > TRIB_MAX && type > TRIB_INT64) {
        return trib_fail(TRIB_INVALID_ARGUMENT, "operation %d is not defined for element type %d: it combines integers"
                         " only", op, type);
    }
    *reduction = (struct trib_reduction) {.op = op, .type = type};
    return TRIB_OK;
}

#define LOOP(type, expression)                                                                                     \
    do {                                                                                                           \
        type *a = (type *) accumulator;                                                                            \
        const type *b = (const type *) input;                                                                      \
        for (int64_t i = 0; i < n; i++) {                                                                          \
            a[i] = (expression);                                                                                   \
        }                                                                                                          \
    } while (0)

#define COMBINE_INTEGERS(name, type, unsigned_type)                                                                \
    static void name(int op, uint8_t *accumulator, const uint8_t *input, int64_t n) {                              \
        switch (op) {                                                                                              \
            case TRIB_SUM:                                                                                         \
                LOOP(unsigned_type, a[i] + b[i]);                                                                  \
                break;                                                                                             \
            case TRIB_PRODUCT:                                                                                     \
                LOOP(unsigned_type, a[i] * b[i]);                                                                  \
                break;                                                                                             \
            case TRIB_MIN:                                                                                         \
                LOOP(type, a[i] < b[i] ? a[i] : b[i]);                                                             \
                break;                                                                                             \
            case TRIB_MAX:                                                                                         \
                LOOP(type, a[i] > b[i] ? a[i] : b[i]);                                                             \
                break;                                                                                             \
            case TRIB_LOGICAL_AND:                                                                                 \
                LOOP(type, a[i] != 0 && b[i] != 0);                                                                \
                break;                                                                                             \
            case TRIB_LOGICAL_OR:                                                                                  \
                LOOP(type, (a[i] | b[i]) != 0);                                                                    \
                break;                                                                                             \
            case TRIB_LOGICAL_XOR:                                                                                 \
                LOOP(type, (a[i] != 0) != (b[i] != 0));                                                            \
                break;                                                                                             \
            case TRIB_BITWISE_AND:                                                                                 \
                LOOP(type, a[i] & b[i]);                                                                           \
                break;                                                                                             \
            case TRIB_BITWISE_OR:                                                                                  \
                LOOP(type, a[i] | b[i]);                                                                           \
                break;                                                                                             \
            default:                                                                                               \
                LOOP(type, a[i] ^ b[i]);                                                                           \
                break;                                                                                             \
        }                                                                                                          \
    }

COMBINE_INTEGERS(combine_int32, trib_any_int32, trib_any_uint32)
COMBINE_INTEGERS(combine_int64, trib_any_int64, trib_any_uint64)

/** Of a number and NaN, NaN; of zeros, the negative one. */
#define MINIMUM(a, b) EXTREME(a, b, (a) < (b), signbit(a))
#define MAXIMUM(a, b) EXTREME(a, b, (a) > (b), !signbit(a))
#define EXTREME(a, b, first, first_of_equals)                                                                      \
    ((a) != (a) ? (a) : (b) != (b) ? (b) : ((a) == (b) ? (first_of_equals) : (first)) ? (a) : (b))

#define COMBINE_FLOATS(name, type)                                                                                 \
    static void name(int op, uint8_t *accumulator, const uint8_t *input, int64_t n) {                              \
        switch (op) {                                                                                              \
            case TRIB_SUM:                                                                                         \
                LOOP(type, a[i] + b[i]);                                                                           \
                break;                                                                                             \
            case TRIB_PRODUCT:                                                                                     \
                LOOP(type, a[i] * b[i]);                                                                           \
                break;                                                                                             \
            case TRIB_MIN:                                                                                         \
                LOOP(type, MINIMUM(a[i], b[i]));                                                                   \
                break;                                                                                             \
            default:                                                                                               \
                LOOP(type, MAXIMUM(a[i], b[i]));                                                                   \
                break;                                                                                             \
        }                                                                                                          \
    }

COMBINE_FLOATS(combine_float, trib_any_float)
COMBINE_FLOATS(combine_double, trib_any_double)

#define MULTIPLY_COMPLEX(name, type, component)                                                                    \
    static void name(uint8_t *accumulator, const uint8_t *input, int64_t n) {                                      \
        type *a = (type *) accumulator;                                                                            \
        const type *b = (const type *) input;                                                                      \
        for (int64_t i = 0; i < 2 * n; i += 2) {                                                                   \
            component re = a[i] * b[i] - a[i + 1] * b[i + 1];                                                      \
            a[i + 1] = a[i] * b[i + 1] + a[i + 1] * b[i];                                                          \
            a[i] = re;                                                                                             \
        }                                                                                                          \
    }

MULTIPLY_COMPLEX(multiply_complex_float, trib_any_float, float)
MULTIPLY_COMPLEX(multiply_complex_double, trib_any_double, double)

void trib_combine(const struct trib_reduction *reduction, uint8_t *accumulator, const uint8_t *input, int64_t bytes) {
    int64_t n = bytes / (int64_t) trib_type_bytes(reduction->type);
    switch (reduction->type) {
        case TRIB_INT32:
            combine_int32(reduction->op, accumulator, input, n);
            break;
        case TRIB_INT64:
            combine_int64(reduction->op, accumulator, input, n);
            break;
        case TRIB_FLOAT:
            combine_float(reduction->op, accumulator, input, n);
            break;
        case TRIB_DOUBLE:
            combine_double(reduction->op, accumulator, input, n);
            break;
        case TRIB_COMPLEX_FLOAT:
            if (reduction->op == TRIB_PRODUCT) {
                multiply_complex_float(accumulator, input, n);
            } else {
                combine_float(reduction->op, accumulator, input, 2 * n);
            }
            break;
        default:
            if (reduction->op == TRIB_PRODUCT) {
                multiply_complex_double(accumulator, input, n);
            } else {
                combine_double(reduction->op, accumulator, input, 2 * n);
            }
            break;
    }
}
