#include <armci.h>
#include <armci_notify.h>
#include <armcix.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    ARMCI_Init();
    int size = armci_msg_nproc();
    int next = (armci_msg_me() + 1) % size;
    void **parts = calloc((size_t) size, sizeof *parts);
    ARMCI_Malloc(parts, sizeof(long));
    ARMCI_PutValueLong(armci_msg_me(), parts[next], next);
    ARMCI_Barrier();
    printf("rank %d of %d was greeted by rank %ld\n", armci_msg_me(), size, *(long *) parts[armci_msg_me()]);
    ARMCI_Free(parts[armci_msg_me()]);
    free(parts);
    ARMCI_Finalize();
    MPI_Finalize();
}
