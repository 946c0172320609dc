/* Messages of MPI proceed while a rank waits for a mutex or a notification: their sender may have to be done first. */
#include "check.h"

#include <armci_notify.h>
#include <armcix.h>
#include <sched.h>

/** Nobody's MPI sends so much before the receiver takes part. */
#define LARGE (8 << 20)
#define TAG 7

static char *message;
static MPI_Request request;

/** Rank 0 holds a mutex, or owes a notification, until its messages have gone. */
static void send_all(int round) {
    for (int proc = 1; proc < size; proc++) {
        memset(message, round + proc, LARGE);
        MPI_Send(message, LARGE, MPI_BYTE, proc, TAG, MPI_COMM_WORLD);
    }
}

static void expect(void) {
    memset(message, -1, LARGE);
    MPI_Irecv(message, LARGE, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &request);
}

static void receive(int round) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(message[0] == round + me && message[LARGE - 1] == round + me);
}

static void under_mutex(int round, armcix_mutex_hdl_t set) {
    if (me == 0) {
        set == NULL ? ARMCI_Lock(0, 0) : ARMCIX_Lock_hdl(set, 0, 0);
    } else {
        expect();
    }
    ARMCI_Barrier();
    if (me == 0) {
        send_all(round);
        set == NULL ? ARMCI_Unlock(0, 0) : ARMCIX_Unlock_hdl(set, 0, 0);
    } else {
        set == NULL ? ARMCI_Lock(0, 0) : ARMCIX_Lock_hdl(set, 0, 0);
        set == NULL ? ARMCI_Unlock(0, 0) : ARMCIX_Unlock_hdl(set, 0, 0);
        receive(round);
    }
    ARMCI_Barrier();
}

static void before_notification(int round) {
    int count;
    if (me == 0) {
        ARMCI_Barrier();
        send_all(round);
        for (int proc = 1; proc < size; proc++) {
            armci_notify(proc);
        }
    } else {
        expect();
        ARMCI_Barrier();
        CHECK(armci_notify_wait(0, &count) > 0);
        receive(round);
    }
    ARMCI_Barrier();
}

/** Without a wait of the runtime: the program tries again and again. */
static void tries(int round, armcix_mutex_hdl_t set) {
    if (me == 0) {
        ARMCIX_Lock_hdl(set, 0, 0);
    } else {
        expect();
    }
    ARMCI_Barrier();
    if (me == 0) {
        send_all(round);
        ARMCIX_Unlock_hdl(set, 0, 0);
    } else {
        while (ARMCIX_Trylock_hdl(set, 0, 0) != 0) {
            sched_yield();
        }
        ARMCIX_Unlock_hdl(set, 0, 0);
        receive(round);
    }
    ARMCI_Barrier();
}

int main(int argc, char **argv) {
    ARMCI_Group world;
    begin(&argc, &argv);
    message = malloc(LARGE);
    ARMCI_Group_get_world(&world);
    CHECK(ARMCI_Create_mutexes(1) == 0);
    armcix_mutex_hdl_t set = ARMCIX_Create_mutexes_hdl(1, &world);
    for (int round = 0; round < 3; round++) {
        if (me == 0) { /* a message that nobody has asked for yet */
            for (int proc = 1; proc < size; proc++) {
                armci_msg_snd(TAG, &round, sizeof round, proc);
            }
        }
        under_mutex(4 * round, NULL);
        under_mutex(4 * round + 1, set);
        before_notification(4 * round + 2);
        tries(4 * round + 3, set);
        int early = round;
        if (me > 0) {
            armci_msg_rcv(TAG, &early, sizeof early, NULL, 0);
        }
        CHECK(early == round);
    }
    CHECK(ARMCIX_Destroy_mutexes_hdl(set) == 0 && ARMCI_Destroy_mutexes() == 0);
    free(message);
    return end();
}
