/* Groups: of the default group, of a parent, by color; their memory and collectives. */
#include "check.h"

#include <armcix.h>
#include <dirent.h>
#include <sys/stat.h>

static void check_comm(const ARMCI_Group *group) {
    int members;
    if (has_mpi()) {
        CHECK(MPI_Comm_size(group->comm, &members) == MPI_SUCCESS && members == group->size);
    }
}

static void use(ARMCI_Group *group) {
    void **bases = calloc((size_t) group->size, sizeof *bases);
    ARMCI_Group copy = *group; /* by value, as libga does */
    int rank;
    int members;
    CHECK(ARMCI_Group_rank(&copy, &rank) == 0);
    ARMCI_Group_size(&copy, &members);
    CHECK(ARMCI_Absolute_id(&copy, rank) == me && ARMCI_Absolute_id(&copy, members) == -1);
    CHECK(ARMCI_Malloc_group(bases, 8L * members, &copy) == 0);
    for (int member = 0; member < members; member++) {
        long value = 100 * me + member;
        int proc = ARMCI_Absolute_id(&copy, member);
        CHECK(ARMCI_Put(&value, (long *) bases[member] + rank, 8, proc) == 0);
    }
    ARMCI_AllFence();
    armci_msg_group_barrier(&copy);
    int sum = 1;
    for (int member = 0; member < members; member++) {
        CHECK(((long *) bases[rank])[member] == 100 * ARMCI_Absolute_id(&copy, member) + rank);
    }
    armci_msg_group_igop(&sum, 1, "+", &copy);
    CHECK(sum == members);
    int root = ARMCI_Absolute_id(&copy, members - 1);
    double word = me == root ? 17.5 : 0;
    armci_msg_group_bcast_scope(SCOPE_ALL, &word, sizeof word, root, &copy);
    CHECK(word == 17.5);
    void *addresses[64] = {NULL};
    addresses[rank] = bases[rank];
    armci_exchange_address_grp(addresses, members, &copy);
    CHECK(memcmp(addresses, bases, sizeof *bases * (size_t) members) == 0);
    CHECK(ARMCI_Free_group(bases[rank], &copy) == 0);
    CHECK(ARMCI_Malloc_group_memdev(bases, rank == 0 ? 8 : 0, &copy, "") == 0);
    CHECK(ARMCI_Free_group(bases[rank], &copy) == 0);
    CHECK(ARMCI_Uses_shm_grp(&copy) == 0);
    check_comm(&copy);
    free(bases);
}

/** The even ranks, and of those all but the first. */
static void nested(void) {
    int evens[64];
    int rest[64];
    int count = 0;
    for (int proc = 0; proc < size; proc += 2) {
        evens[count++] = proc;
    }
    ARMCI_Group even;
    ARMCI_Group world;
    ARMCI_Group found;
    ARMCI_Group_get_world(&world);
    ARMCI_Group_create(count, evens, &even);
    CHECK((even.rank >= 0) == (me % 2 == 0));
    if (even.rank < 0) {
        CHECK(even.size == 0 && even.comm == MPI_COMM_NULL);
        ARMCI_Group_free(&even);
        return;
    }
    use(&even);
    if (count > 1) {
        for (int i = 1; i < count; i++) {
            rest[i - 1] = i;
        }
        ARMCI_Group_set_default(&even);
        ARMCI_Group_get_default(&found);
        CHECK(found.size == count && found.rank == even.rank);
        ARMCI_Group inner;
        ARMCI_Group child;
        ARMCI_Group_create(count - 1, rest, &inner);
        ARMCI_Group_set_default(&world);
        ARMCI_Group_create_child(count - 1, rest, &child, &even);
        CHECK((inner.rank >= 0) == (me != 0) && (child.rank >= 0) == (me != 0));
        if (inner.rank >= 0) {
            CHECK(ARMCI_Absolute_id(&inner, inner.rank) == me);
            use(&inner);
            use(&child);
        }
        ARMCI_Group_free(&inner);
        ARMCI_Group_free(&child);
    }
    ARMCI_Group_free(&even);
    CHECK(even.comm == MPI_COMM_NULL);
}

static void splits(void) {
    ARMCI_Group world;
    ARMCI_Group backwards;
    ARMCI_Group some;
    ARMCI_Group same;
    ARMCI_Group_get_world(&world);
    check_comm(&world);
    CHECK(ARMCIX_Group_split(&world, 0, -me, &backwards) == 0);
    CHECK(backwards.rank == size - 1 - me);
    use(&backwards);
    CHECK(ARMCIX_Group_split(&backwards, me == 0 ? -1 : 7, 0, &some) == 0);
    CHECK((some.rank >= 0) == (me != 0));
    if (some.rank >= 0) {
        use(&some);
    }
    CHECK(ARMCIX_Group_dup(&backwards, &same) == 0);
    CHECK(same.rank == backwards.rank && same.size == size);
    use(&same);
    ARMCI_Group_free(&some);
    ARMCI_Group_free(&same);
    ARMCI_Group_free(&backwards);
}

/** Files of segments in a directory and those below it. */
static int segments_in(const char *directory) {
    int found = 0;
    DIR *all = opendir(directory);
    for (struct dirent *entry; all != NULL && (entry = readdir(all)) != NULL;) {
        char path[1024];
        struct stat status;
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        if (strncmp(entry->d_name, "segment-", 8) == 0) {
            found++;
        } else if (entry->d_name[0] != '.' && lstat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
            found += segments_in(path);
        }
    }
    if (all != NULL) {
        closedir(all);
    }
    return found;
}

/** Of the nodes of this machine; waits for nodes that have more. */
static int segments(int expected) {
    const char *directory = getenv("TRIBUTARY_SHM_DIRECTORY");
    int found = 0;
    for (int tries = 0; tries < 1000; tries++) {
        found = directory == NULL ? expected : segments_in(directory);
        if (found <= expected) {
            break;
        }
        usleep(10000);
    }
    return found;
}

/** What is freed is the node's again at once, whichever group asks for memory next. */
static void give_back(void) {
    ARMCI_Group world;
    ARMCI_Group all;
    void *bases[64];
    ARMCI_Group_get_world(&world);
    CHECK(ARMCIX_Group_split(&world, 0, me, &all) == 0);
    ARMCI_Barrier();
    const char *directory = getenv("TRIBUTARY_SHM_DIRECTORY");
    int before = directory == NULL ? 0 : segments_in(directory);
    for (int kind = 0; kind < 5; kind++) {
        armcix_mutex_hdl_t mutexes;
        ARMCI_Barrier();
        switch (kind) {
            case 0:
                CHECK(ARMCI_Malloc(bases, 4096) == 0 && ARMCI_Free(bases[me]) == 0);
                break;
            case 1:
                CHECK(ARMCI_Malloc_group(bases, 4096, &all) == 0 && ARMCI_Free_group(bases[all.rank], &all) == 0);
                break;
            case 2:
                CHECK(ARMCI_Malloc_group(bases, 0, &all) == 0);
                break;
            case 3:
                CHECK(ARMCI_Create_mutexes(3) == 0 && ARMCI_Destroy_mutexes() == 0);
                break;
            default:
                mutexes = ARMCIX_Create_mutexes_hdl(2, &all);
                CHECK(mutexes != NULL && ARMCIX_Destroy_mutexes_hdl(mutexes) == 0);
        }
        CHECK(segments(before) <= before);
    }
    ARMCI_Group_free(&all);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    for (int round = 0; round < 3; round++) {
        nested();
        splits();
    }
    give_back();
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    use(&world);
    return end();
}
