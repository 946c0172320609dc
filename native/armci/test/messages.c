/* message.h: messages, broadcasts, every reduction, selection, the tree; and the topology. */
#include "check.h"

#include <limits.h>

static void pairs(void) {
    int next = (me + 1) % size;
    int previous = (me + size - 1) % size;
    for (int bytes = 0; bytes < 60000; bytes = bytes * 5 + 3) {
        char *sent = malloc((size_t) bytes + 1);
        char *got = malloc((size_t) bytes + 8);
        int received = -1;
        memset(sent, me + 1, (size_t) bytes);
        if (me % 2 == 0) {
            armci_msg_snd(5, sent, bytes, next);
            armci_msg_rcv(5, got, bytes + 8, &received, previous);
        } else {
            armci_msg_rcv(5, got, bytes + 8, &received, previous);
            armci_msg_snd(5, sent, bytes, next);
        }
        CHECK(received == bytes);
        for (int i = 0; i < bytes; i++) {
            CHECK(got[i] == previous + 1);
        }
        free(sent);
        free(got);
    }
}

/** Tags choose; rank 0 takes the others' in any order. */
static void tags(void) {
    int value = me;
    int received;
    if (me != 0) {
        armci_msg_snd(11, &value, sizeof value, 0);
        value += 100;
        armci_msg_snd(12, &value, sizeof value, 0);
        return;
    }
    int seen = 0;
    for (int i = 1; i < size; i++) {
        int from = armci_msg_rcvany(12, &value, sizeof value, &received);
        CHECK(value == 100 + from && received == sizeof value);
        seen += from;
    }
    CHECK(seen == size * (size - 1) / 2);
    for (int proc = 1; proc < size; proc++) {
        armci_msg_rcv(11, &value, sizeof value, NULL, proc);
        CHECK(value == proc);
    }
}

#define REDUCE(letters, type) do { \
        type x[3] = {(type) (me + 1), (type) -(me + 1), (type) 2}; \
        armci_msg_##letters##gop(x, 3, "+"); \
        CHECK(x[0] == (type) (size * (size + 1) / 2) && x[1] == -x[0] && x[2] == (type) (2 * size)); \
        type y[2] = {(type) 2, (type) (me == 0 ? -1 : 1)}; \
        armci_msg_##letters##gop(y, 2, "*"); \
        CHECK(y[0] == (type) (1 << size) && y[1] == (type) -1); \
        type most[2] = {(type) me, (type) -me}; \
        armci_msg_##letters##gop(most, 2, "max"); \
        CHECK(most[0] == (type) (size - 1) && most[1] == 0); \
        type least[2] = {(type) me, (type) -me}; \
        armci_msg_##letters##gop(least, 2, "min"); \
        CHECK(least[0] == 0 && least[1] == (type) (1 - size)); \
        type far[2] = {(type) (-me - 1), (type) (me + 1)}; \
        armci_msg_##letters##gop(far, 2, "absmax"); \
        CHECK(far[0] == (type) size && far[1] == (type) size); \
        type near[1] = {(type) (-me - 1)}; \
        armci_msg_##letters##gop(near, 1, "absmin"); \
        CHECK(near[0] == 1); \
        type own[1] = {(type) -me}; \
        armci_msg_clus_##letters##gop(own, 1, "absmax"); \
        CHECK(own[0] == (type) me); \
    } while (0)

#define REDUCE_BITS(letters, type) do { \
        type x[2] = {(type) (me == 0 ? 0 : 4), (type) 8}; \
        armci_msg_##letters##gop(x, 2, "land"); \
        CHECK(x[0] == 0 && x[1] == 1); \
        type y[2] = {(type) (me == size - 1 ? 4 : 0), 0}; \
        armci_msg_##letters##gop(y, 2, "||"); \
        CHECK(y[0] == 1 && y[1] == 0); \
        type z[2] = {(type) (7 & ~(1 << me % 2)), (type) -1}; \
        armci_msg_##letters##gop(z, 2, "band"); \
        CHECK(z[0] == (type) (size > 1 ? 4 : 6) && z[1] == (type) -1); \
        type w[2] = {(type) 1 << (8 * sizeof(type) - 2), (type) (1 << me)}; \
        armci_msg_##letters##gop(w, 2, "|"); \
        CHECK(w[0] == (type) 1 << (8 * sizeof(type) - 2) && w[1] == (type) ((1 << size) - 1)); \
        type v[1] = {(type) (1 << me)}; \
        armci_msg_##letters##gop(v, 1, "or"); \
        CHECK(v[0] == (type) ((1 << size) - 1)); \
        type u[1] = {1}; \
        armci_msg_##letters##gop(u, 1, "&&"); \
        armci_msg_##letters##gop(u, 1, "lor"); \
        armci_msg_##letters##gop(u, 1, "&"); \
        armci_msg_##letters##gop(u, 1, "bor"); \
        CHECK(u[0] == 1); \
    } while (0)

static void reductions(void) {
    REDUCE(i, int);
    REDUCE(l, long);
    REDUCE(ll, long long);
    REDUCE(f, float);
    REDUCE(d, double);
    REDUCE_BITS(i, int);
    REDUCE_BITS(l, long);
    REDUCE_BITS(ll, long long);
    long least[2] = {LONG_MIN, LONG_MIN + 1}; /* of which the first has no positive counterpart */
    armci_msg_lgop(least, 2, "absmax");
    CHECK(least[0] == LONG_MIN && least[1] == LONG_MAX);
    static double many[20000];
    for (int i = 0; i < 20000; i++) {
        many[i] = i + me;
    }
    armci_msg_gop_scope(SCOPE_MASTERS, many, 20000, "+", ARMCI_DOUBLE);
    for (int i = 0; i < 20000; i++) {
        CHECK(many[i] == (double) i * size + size * (size - 1) / 2);
    }
    int at_root = 1;
    armci_msg_reduce(&at_root, 1, "+", ARMCI_INT);
    CHECK(at_root == (me == 0 ? size : 1));
    long own = me;
    armci_msg_gop_scope(SCOPE_NODE, &own, 1, "+", ARMCI_LONG);
    armci_msg_reduce_scope(SCOPE_NODE, &own, 1, "+", ARMCI_LONG);
    CHECK(own == me);
}

struct place {
    double value;
    int index[6];
};

static void selection(void) {
    struct place most = {.value = -((me - 1) * (me - 1)), .index = {me, 10 * me}};
    armci_msg_sel(&most, sizeof most, "max", ARMCI_DOUBLE, 1);
    int best = size > 1 ? 1 : 0;
    CHECK(most.index[0] == best && most.index[1] == 10 * best);
    struct place least = {.value = me, .index = {me}};
    armci_msg_sel_scope(SCOPE_ALL, &least, sizeof least, "min", ARMCI_DOUBLE, me == size - 1);
    CHECK(least.value == size - 1 && least.index[0] == size - 1);
    long alone[2] = {me, me};
    armci_msg_sel_scope(SCOPE_NODE, alone, sizeof alone, "min", ARMCI_LONG, 1);
    CHECK(alone[1] == me);
}

static void broadcasts(void) {
    static char block[100000];
    for (int root = 0; root < size; root++) {
        memset(block, me == root ? root + 1 : 0, sizeof block);
        if (root % 2 == 0) {
            armci_msg_bcast(block, sizeof block, root);
        } else {
            armci_msg_brdcst(block, sizeof block, root);
        }
        CHECK(block[0] == root + 1 && block[sizeof block - 1] == root + 1);
        int word = me;
        armci_msg_bcast_scope(SCOPE_MASTERS, &word, sizeof word, root);
        CHECK(word == root);
        word = me;
        armci_msg_bcast_scope(SCOPE_NODE, &word, sizeof word, me);
        armci_msg_clus_brdcst(&word, sizeof word);
        CHECK(word == me);
    }
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    int pair = me / 2 * 2;
    int count = pair + 2 <= size ? 2 : 1;
    int word = me;
    armci_grp_clus_brdcst(&word, sizeof word, pair, count, &world);
    CHECK(word == pair);
    if (me == 0 || me == size - 1) { /* the last one is no member */
        word = me;
        armci_grp_clus_brdcst(&word, sizeof word, 0, 1, &world);
        CHECK(word == me);
    }
    void *addresses[64] = {NULL};
    addresses[me] = &world;
    armci_exchange_address(addresses, size);
    for (int proc = 0; proc < size; proc++) {
        CHECK(addresses[proc] != NULL && (proc != me || addresses[proc] == &world));
    }
}

static void topology(void) {
    int root;
    int up;
    int left;
    int right;
    armci_msg_bintree(SCOPE_ALL, &root, &up, &left, &right);
    int children = (left >= 0) + (right >= 0);
    CHECK(root == 0 && (up < 0) == (me == 0));
    armci_msg_igop(&children, 1, "+");
    CHECK(children == size - 1);
    armci_msg_bintree(SCOPE_NODE, &root, &up, &left, &right);
    CHECK(root == me && up == -1 && left == -1 && right == -1);
    CHECK(armci_domain_count(ARMCI_DOMAIN_SMP) == size && armci_domain_my_id(ARMCI_DOMAIN_SMP) == me);
    CHECK(armci_domain_nprocs(ARMCI_DOMAIN_SMP, -1) == 1 && ARMCI_Uses_shm() == 0);
    for (int proc = 0; proc < size; proc++) {
        CHECK(armci_domain_nprocs(ARMCI_DOMAIN_SMP, proc) == 1);
        CHECK(armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, proc, 0) == proc);
        CHECK(armci_domain_id(ARMCI_DOMAIN_SMP, proc) == proc);
        CHECK((armci_domain_same_id(ARMCI_DOMAIN_SMP, proc) != 0) == (proc == me));
        CHECK((ARMCI_Same_node(proc) != 0) == (proc == me));
    }
    double then = armci_timer();
    usleep(1000);
    CHECK(armci_timer() > then);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    if (size > 1) {
        pairs();
        tags();
    }
    reductions();
    selection();
    broadcasts();
    topology();
    armci_msg_barrier();
    return end();
}
