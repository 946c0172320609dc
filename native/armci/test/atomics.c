/* Read-modify-write, and mutexes of all ranks and of groups. */
#include "check.h"

#include <armcix.h>

#define TIMES 200

static void counters(void) {
    void **bases = allocate(64);
    for (int i = 0; i < TIMES; i++) {
        int proc = i % size;
        int old;
        long old_long;
        CHECK(ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &old, bases[proc], 2, proc) == 0 && old % 2 == 0);
        CHECK(ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old_long, (char *) bases[proc] + 8, -1, proc) == 0 && old_long <= 0);
    }
    ARMCI_Barrier();
    long sums[2] = {((int *) bases[me])[0], ((long *) bases[me])[1]};
    armci_msg_lgop(sums, 2, "+");
    CHECK(sums[0] == 2L * TIMES * size && sums[1] == -1L * TIMES * size);
    release(bases);
}

/** Everybody swaps a token in: each value is seen by exactly one other, but for the last. */
static void swaps(void) {
    void **bases = allocate(16);
    int token = me + 1;
    long token_long = me + 1;
    CHECK(ARMCI_Rmw(ARMCI_SWAP, &token, bases[0], 0, 0) == 0);
    CHECK(ARMCI_Rmw(ARMCI_SWAP_LONG, &token_long, (char *) bases[0] + 8, 0, 0) == 0);
    ARMCI_Barrier();
    long sums[2] = {token, token_long};
    if (me == 0) {
        sums[0] += ((int *) bases[0])[0];
        sums[1] += ((long *) bases[0])[1];
    }
    armci_msg_lgop(sums, 2, "+");
    CHECK(sums[0] == size * (size + 1) / 2 && sums[1] == sums[0]);
    release(bases);
}

static void add_under_lock(void **bases, int proc, int index) {
    long value;
    long *word = (long *) bases[proc] + index;
    CHECK(ARMCI_Get(word, &value, 8, proc) == 0);
    value++;
    CHECK(ARMCI_Put(&value, word, 8, proc) == 0);
    ARMCI_Fence(proc);
}

static void mutexes(void) {
    void **bases = allocate(64);
    int last = size - 1;
    CHECK(ARMCI_Create_mutexes(me == last ? 3 : 0) == 0);
    CHECK(ARMCI_Create_mutexes(1) != 0);
    for (int i = 0; i < TIMES; i++) {
        ARMCI_Lock(i % 3, last);
        add_under_lock(bases, 0, i % 3);
        ARMCI_Unlock(i % 3, last);
    }
    ARMCI_Barrier();
    CHECK(me != 0 || ((long *) bases[0])[0] + ((long *) bases[0])[1] + ((long *) bases[0])[2] == (long) TIMES * size);
    CHECK(ARMCI_Destroy_mutexes() == 0);
    CHECK(ARMCI_Destroy_mutexes() != 0);
    CHECK(ARMCI_Create_mutexes(0) != 0);
    CHECK(ARMCI_Create_mutexes(1) == 0);
    CHECK(ARMCI_Destroy_mutexes() == 0);
    release(bases);
}

/** Mutexes of the odd and of the even ranks, while those of all ranks exist. */
static void mutexes_of_groups(void) {
    void **bases = allocate(64);
    ARMCI_Group world;
    ARMCI_Group half;
    ARMCI_Group_get_world(&world);
    CHECK(ARMCIX_Group_split(&world, me % 2, me, &half) == 0);
    CHECK(ARMCI_Create_mutexes(1) == 0);
    armcix_mutex_hdl_t set = ARMCIX_Create_mutexes_hdl(2, &half);
    int owner = ARMCI_Absolute_id(&half, half.size - 1);
    CHECK(set != NULL && set->my_count == 2 && set->max_count == 2 && owner % 2 == me % 2);
    for (int i = 0; i < TIMES / 4; i++) {
        if (i % 2 == 0) {
            ARMCIX_Lock_hdl(set, 1, owner);
        } else {
            while (ARMCIX_Trylock_hdl(set, 1, owner) != 0) {
                ARMCIX_Progress();
            }
        }
        add_under_lock(bases, owner, 1);
        ARMCIX_Unlock_hdl(set, 1, owner);
        ARMCI_Lock(0, 0);
        ARMCI_Unlock(0, 0);
    }
    ARMCI_Barrier();
    CHECK(me != owner || ((long *) bases[me])[1] == (long) TIMES / 4 * half.size);
    CHECK(ARMCIX_Destroy_mutexes_hdl(set) == 0);
    CHECK(ARMCI_Destroy_mutexes() == 0);
    ARMCI_Group_free(&half);
    release(bases);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    counters();
    swaps();
    mutexes();
    mutexes_of_groups();
    return end();
}
