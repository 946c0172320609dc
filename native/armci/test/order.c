/* Order of effects: fences, barriers, flags, notifications, operations on one place; and that owners take no part. */
#include "check.h"

#include <armci_notify.h>

#define WORDS 2048

static void flags(void) {
    void **bases = allocate((long) (WORDS + 2) * 4);
    int next = (me + 1) % size;
    int *own = bases[me];
    int data[WORDS];
    int strides[1] = {4 * 64};
    int count[2] = {4 * 64, WORDS / 64};
    for (int round = 1; round <= 20; round++) {
        for (int i = 0; i < WORDS; i++) {
            data[i] = round * 10000 + i;
        }
        int *flag = (int *) bases[next] + WORDS;
        if (round % 2 == 0) {
            CHECK(ARMCI_Put_flag(data, bases[next], sizeof data, flag, round, next) == 0);
        } else {
            CHECK(ARMCI_PutS_flag(data, strides, bases[next], strides, count, 1, flag, round, next) == 0);
        }
        while (__atomic_load_n(&own[WORDS], __ATOMIC_ACQUIRE) != round) {
            usleep(10);
        }
        for (int i = 0; i < WORDS; i++) {
            CHECK(own[i] == round * 10000 + i);
        }
        ARMCI_Barrier();
    }
    release(bases);
}

static void notifications(void) {
    void **bases = allocate(8);
    int next = (me + 1) % size;
    int previous = (me + size - 1) % size;
    for (int round = 1; round <= 20; round++) {
        long value = round;
        int count;
        CHECK(ARMCI_Put(&value, bases[next], 8, next) == 0);
        CHECK(armci_notify(next) == round);
        CHECK(armci_notify_wait(previous, &count) == round && count == round);
        CHECK(*(long *) bases[me] == round);
        ARMCI_Barrier();
    }
    release(bases);
}

/** A put, an accumulate and a get of one place take effect in the order of the calls. */
static void one_place(void) {
    void **bases = allocate(8L * size);
    long one = 1;
    for (int proc = 0; proc < size; proc++) {
        long *mine = (long *) bases[proc] + me;
        for (long i = 0; i < 50; i++) {
            long seen = -1;
            long there = 0;
            void *from = &i;
            void *to = mine;
            armci_giov_t vector = {&from, &to, 8, 1};
            armci_hdl_t handle;
            ARMCI_INIT_HANDLE(&handle);
            if (i % 4 == 0) {
                ARMCI_SET_AGGREGATE_HANDLE(&handle);
            }
            CHECK((i % 2 == 0 ? ARMCI_NbPut(&i, mine, 8, proc, &handle) : ARMCI_PutV(&vector, 1, proc)) == 0);
            CHECK(ARMCI_Acc(ARMCI_ACC_LNG, &one, &one, mine, 8, proc) == 0);
            CHECK(ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &there, mine, 1, proc) == 0);
            CHECK(ARMCI_Get(mine, &seen, 8, proc) == 0);
            CHECK(there == i + 1 && seen == i + 2 && ARMCI_Wait(&handle) == 0);
        }
    }
    ARMCI_Barrier();
    release(bases);
}

static void fences(void) {
    void **bases = allocate(8L * size);
    for (long round = 1; round <= 20; round++) {
        for (int proc = 0; proc < size; proc++) {
            CHECK(ARMCI_Put(&round, (long *) bases[proc] + me, 8, proc) == 0);
            ARMCI_Fence(proc);
        }
        armci_msg_barrier();
        ARMCI_Access_begin(bases[me]);
        for (int proc = 0; proc < size; proc++) {
            CHECK(((long *) bases[me])[proc] == round);
        }
        ARMCI_Access_end(bases[me]);
        armci_msg_barrier();
        for (int proc = 0; proc < size; proc++) {
            CHECK(ARMCI_Put(&round, (long *) bases[proc] + me, 8, proc) == 0);
        }
        ARMCI_AllFence();
        ARMCI_Barrier();
    }
    release(bases);
}

/** Rank 0 makes no call until the others, who work on its memory, have set a word of it. */
static void passive_target(void) {
    void **bases = allocate(4096);
    volatile long *own = bases[me];
    armci_msg_barrier();
    if (me == 0) {
        while (__atomic_load_n(&own[0], __ATOMIC_ACQUIRE) != size - 1) {
            usleep(100);
        }
        CHECK(own[1] == 3L * (size - 1));
    } else {
        long three = 3;
        long one = 1;
        long old;
        char block[2048];
        CHECK(ARMCI_Get((char *) bases[0] + 2048, block, sizeof block, 0) == 0);
        CHECK(ARMCI_Acc(ARMCI_ACC_LNG, &one, &three, (long *) bases[0] + 1, 8, 0) == 0);
        ARMCI_Fence(0);
        CHECK(ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, bases[0], 1, 0) == 0);
    }
    ARMCI_Barrier();
    release(bases);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    fences();
    flags();
    notifications();
    one_place();
    passive_target();
    return end();
}
