/* A flag whose data the network adapter could not move; two ranks on two nodes. */
#include "check.h"

#include "../src/internal.h"
#include "link/link.h"

#define BYTES 300000

/** As if rank 1 had freed what rank 0 still writes, which no program can. */
static void lose(void *base) {
    struct arm_place at;
    CHECK(arm_locate("lose", base, BYTES, 1, &at) == 0);
    CHECK(trib_request_free(arm.job, trib_memory_id(at.memory)) == TRIB_OK);
}

static void should_set_no_flag_when_its_data_is_lost(bool strided) {
    void **data = allocate(BYTES);
    void **flags = allocate(8);
    char *source = calloc(1, BYTES);
    int *flag = flags[1];
    int strides[] = {BYTES / 2};
    int count[] = {BYTES / 2, 2};
    if (me == 0) {
        CHECK(ARMCI_Put_flag(source, data[1], BYTES, flag, 1, 1) == 0);
        CHECK(ARMCI_GetValueInt(flag, 1) == 1);
    }
    ARMCI_Barrier();
    if (me == 1) {
        lose(data[1]);
    }
    ARMCI_Barrier();
    if (me == 0) {
        CHECK((strided ? ARMCI_PutS_flag(source, strides, data[1], strides, count, 1, flag, 2, 1)
               : ARMCI_Put_flag(source, data[1], BYTES, flag, 2, 1)) != 0);
        CHECK(ARMCI_GetValueInt(flag, 1) == 1);
        ARMCI_Fence(1); /* nothing is left to say */
    }
    ARMCI_Barrier();
    free(source);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    should_set_no_flag_when_its_data_is_lost(argc > 1 && strcmp(argv[1], "strided") == 0);
    return end();
}
