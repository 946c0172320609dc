/* The reductions of message.h. */
#include "internal.h"

/** An operation: what is done to each element first, and what combines them. */
struct operation {
    const char *name;
    enum { AS_IS, ABSOLUTE, TRUTH } first;
    MPI_Op op;
    bool integers_only;
};

static bool begins(const char *text, const char *word) {
    return strncmp(text, word, strlen(word)) == 0;
}

/** By the beginning of the text, as ARMCI programs expect; && and || go before & and |. */
static bool parse(const char *text, struct operation *parsed) {
    const struct operation operations[] = {
        {"+", AS_IS, MPI_SUM, false}, {"*", AS_IS, MPI_PROD, false}, {"max", AS_IS, MPI_MAX, false},
        {"min", AS_IS, MPI_MIN, false}, {"absmax", ABSOLUTE, MPI_MAX, false}, {"absmin", ABSOLUTE, MPI_MIN, false},
        {"land", TRUTH, MPI_MIN, true}, {"&&", TRUTH, MPI_MIN, true}, {"lor", TRUTH, MPI_MAX, true},
        {"||", TRUTH, MPI_MAX, true}, {"band", AS_IS, MPI_BAND, true}, {"&", AS_IS, MPI_BAND, true},
        {"bor", AS_IS, MPI_BOR, true}, {"|", AS_IS, MPI_BOR, true}, {"or", AS_IS, MPI_BOR, true}};
    for (size_t i = 0; text != NULL && i < sizeof operations / sizeof *operations; i++) {
        if (begins(text, operations[i].name)) {
            *parsed = operations[i];
            return true;
        }
    }
    return false;
}

/** Of the least integer the negative is that integer itself. */
#define NEGATIVE(c_type) ((c_type) (0 - (unsigned c_type) value))

#define PREPARE(c_type, negative) \
    for (int i = 0; i < n; i++) { \
        c_type value = ((c_type *) x)[i]; \
        ((c_type *) x)[i] = first == ABSOLUTE ? (value < 0 ? (negative) : value) : value != 0; \
    } \
    break

static void prepare(void *x, int n, int type, int first) {
    switch (type) {
        case ARMCI_INT:
            PREPARE(int, NEGATIVE(int));
        case ARMCI_LONG:
            PREPARE(long, NEGATIVE(long));
        case ARMCI_LONG_LONG:
            PREPARE(long long, NEGATIVE(long long));
        case ARMCI_FLOAT:
            PREPARE(float, -value);
        default:
            PREPARE(double, -value);
    }
}

static void reduce(const char *function, struct arm_group *group, int scope, void *x, int n, const char *op, int type) {
    struct operation operation;
    arm_must(group == NULL);
    if (!parse(op, &operation)) {
        arm_fail(function, TRIB_INVALID_ARGUMENT, "'%s' is no operation", op == NULL ? "" : op);
        arm_abort(1);
    }
    if (arm_type_bytes(type) == 0 || n < 0
        || (operation.integers_only && (type == ARMCI_FLOAT || type == ARMCI_DOUBLE))) {
        arm_fail(function, TRIB_INVALID_ARGUMENT, "%s of %d elements of type %d", operation.name, n, type);
        arm_abort(1);
    }
    if (operation.first != AS_IS) {
        prepare(x, n, type, operation.first);
    }
    int status = scope == SCOPE_NODE ? TRIB_OK : arm_allreduce(group, x, (size_t) n, type, operation.op);
    if (status != TRIB_OK) {
        arm_failed(function, status);
        arm_abort(1);
    }
}

void armci_msg_group_gop_scope(int scope, void *x, int n, char *op, int type, ARMCI_Group *group) {
    reduce(__func__, arm_group_of(__func__, group), scope, x, n, op, type);
}

void armci_msg_gop_scope(int scope, void *x, int n, char *op, int type) {
    reduce(__func__, arm_group_of(__func__, &arm.world), scope, x, n, op, type);
}

#define REDUCTIONS(letters, c_type, type) \
    void armci_msg_##letters##gop(c_type *x, int n, char *op) { \
        reduce(__func__, arm_group_of(__func__, &arm.world), SCOPE_ALL, x, n, op, type); \
    } \
    void armci_msg_group_##letters##gop(c_type *x, int n, char *op, ARMCI_Group *group) { \
        reduce(__func__, arm_group_of(__func__, group), SCOPE_ALL, x, n, op, type); \
    } \
    void armci_msg_clus_##letters##gop(c_type *x, int n, char *op) { \
        reduce(__func__, arm_group_of(__func__, &arm.world), SCOPE_NODE, x, n, op, type); \
    }

REDUCTIONS(i, int, ARMCI_INT)
REDUCTIONS(l, long, ARMCI_LONG)
REDUCTIONS(ll, long long, ARMCI_LONG_LONG)
REDUCTIONS(f, float, ARMCI_FLOAT)
REDUCTIONS(d, double, ARMCI_DOUBLE)

void armci_msg_reduce_scope(int scope, void *x, int n, char *op, int type) {
    size_t bytes = n < 0 ? 0 : (size_t) n * arm_type_bytes(type);
    void *combined = arm_memory(__func__, bytes + 1, 1);
    memcpy(combined, x, bytes);
    reduce(__func__, arm_group_of(__func__, &arm.world), scope, combined, n, op, type);
    if (arm.rank == 0 || scope == SCOPE_NODE) {
        memcpy(x, combined, bytes);
    }
    free(combined);
}

void armci_msg_reduce(void *x, int n, char *op, int type) {
    armci_msg_reduce_scope(SCOPE_ALL, x, n, op, type);
}

#define COMPARE(c_type) do { \
        c_type left; \
        c_type right; \
        memcpy(&left, a, sizeof left); \
        memcpy(&right, b, sizeof right); \
        return left < right ? -1 : left > right; \
    } while (0)

static int compare(const void *a, const void *b, int type) {
    switch (type) {
        case ARMCI_INT:
            COMPARE(int);
        case ARMCI_LONG:
            COMPARE(long);
        case ARMCI_LONG_LONG:
            COMPARE(long long);
        case ARMCI_FLOAT:
            COMPARE(float);
        default:
            COMPARE(double);
    }
}

void armci_msg_sel_scope(int scope, void *x, int n, char *op, int type, int contribute) {
    struct arm_group *world = arm_group_of(__func__, &arm.world);
    arm_must(world == NULL);
    bool is_min = op != NULL && begins(op, "min");
    if ((!is_min && (op == NULL || !begins(op, "max"))) || arm_type_bytes(type) == 0
        || n < (int) arm_type_bytes(type)) {
        arm_fail(__func__, TRIB_INVALID_ARGUMENT, "selection '%s' among %d bytes of type %d", op == NULL ? "" : op, n,
                 type);
        arm_abort(1);
    }
    if (scope == SCOPE_NODE) {
        return;
    }
    size_t bytes = (size_t) n + 1; /* the last one says whether the rest counts */
    char *all = arm_memory(__func__, (size_t) world->size + 1, bytes);
    char *own = all + bytes * (size_t) world->size;
    memcpy(own, x, (size_t) n);
    own[n] = contribute != 0;
    int status = arm_allgather(world, own, all, bytes);
    if (status != TRIB_OK) {
        arm_failed(__func__, status);
        arm_abort(1);
    }
    const char *best = NULL;
    for (int proc = 0; proc < world->size; proc++) {
        const char *candidate = all + bytes * (size_t) proc;
        int order = !candidate[n] ? 1 : best == NULL ? -1
            : is_min ? compare(candidate, best, type) : compare(best, candidate, type);
        best = order < 0 ? candidate : best;
    }
    if (best != NULL) {
        memcpy(x, best, (size_t) n);
    }
    free(all);
}

void armci_msg_sel(void *x, int n, char *op, int type, int contribute) {
    armci_msg_sel_scope(SCOPE_ALL, x, n, op, type, contribute);
}

static void exchange(const char *function, struct arm_group *group, void *addresses[], int n) {
    _Static_assert(sizeof(void *) == sizeof(long), "an address is exchanged as a long");
    reduce(function, group, SCOPE_ALL, addresses, n, "bor", ARMCI_LONG);
}

void armci_exchange_address(void *addresses[], int n) {
    exchange(__func__, arm_group_of(__func__, &arm.world), addresses, n);
}

void armci_exchange_address_grp(void *addresses[], int n, ARMCI_Group *group) {
    exchange(__func__, arm_group_of(__func__, group), addresses, n);
}
