/*
 * Memory of callers that is registered with a network adapter, between two ranks on two nodes: with tcp and shm, too,
 * as if they needed that. A piece has 128 KiB when it is copied, and 1 MiB when it is not.
 */
#include "testing.h"

#include "link/adapter.h"
#include "link/links.h"

#include <errno.h>
#include <sys/mman.h>

#define MIB (1 << 20)
#define LARGE 300000
#define PARTS 10

extern bool trib_adapter_registers;
extern int64_t trib_adapter_registrable;

static trib *job;
static int rank;

static struct trib_adapter *adapter(void) {
    return trib_adapter_of(job);
}

static void fill(uint8_t *memory, int64_t bytes, unsigned seed) {
    uint32_t random = seed * 2654435761u + 1;
    for (int64_t i = 0; i < bytes; i++) {
        random = trib_next_random(random);
        memory[i] = (uint8_t) random;
    }
}

static void check_filled(const uint8_t *memory, int64_t bytes, unsigned seed) {
    uint32_t random = seed * 2654435761u + 1;
    for (int64_t i = 0; i < bytes; i++) {
        random = trib_next_random(random);
        CHECK(memory[i] == (uint8_t) random);
    }
}

static uint8_t *mapped(void *wanted, int64_t bytes) {
    void *memory = mmap(wanted, (size_t) bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | (wanted == NULL ? 0 : MAP_FIXED), -1, 0);
    CHECK(memory != MAP_FAILED);
    return memory;
}

/** How many operations of a transfer have begun since the last call, and how many registrations there were. */
static int64_t pieces_before, made_before;

static void begin_count(void) {
    pieces_before = job->links->adapter->begun;
    made_before = adapter()->registered;
}

static void count(int64_t pieces, int64_t made) {
    EQUAL(job->links->adapter->begun - pieces_before, pieces);
    EQUAL(adapter()->registered - made_before, made);
}

/** Memory of the runtime, which the adapter opens with: it is not counted. */
static trib_memory *allocate(int64_t bytes) {
    trib_memory *memory;
    uint8_t word[4096] = {0};
    OK(trib_allocate(trib_world(job), (size_t) bytes, &memory));
    OK(trib_put(memory, 1 - rank, 0, word, sizeof word));
    OK(trib_fence(job, 1 - rank));
    OK(trib_barrier(job));
    return memory;
}

static void should_keep_memory_of_segments(void) {
    trib_memory *memory = allocate(4 * MIB);
    trib_memory *local = allocate(4 * MIB);
    uint8_t *own = trib_memory_local(local);
    fill(own, 2 * MIB, 5);
    for (int round = 0; round < 3; round++) {
        begin_count();
        OK(trib_put(memory, 1 - rank, 0, own, 2 * MIB));
        OK(trib_get(memory, 1 - rank, 0, own + 2 * MIB, 2 * MIB));
        int64_t most = round == 0 ? 2 : 0; /* chunks, the first of which may end between */
        EQUAL(job->links->adapter->begun - pieces_before, 4);
        CHECK(adapter()->registered - made_before <= most);
        check_filled(own + 2 * MIB, 2 * MIB, 5);
        begin_count();
        OK(trib_get(memory, 1 - rank, 0, own + 2 * MIB, LARGE));
        count(1, 0);
        memset(own + 2 * MIB, 0, 2 * MIB);
    }
    CHECK(adapter()->registration_count > 0 && adapter()->registered_bytes <= 8 * MIB);
    OK(trib_barrier(job));
    OK(trib_free(local));
    EQUAL(adapter()->registration_count, 0);
    EQUAL(adapter()->registered_bytes, 0);
    CHECK(adapter()->registrations == NULL && adapter()->once == NULL);
    OK(trib_free(memory));
}

/** As ARMCI_Malloc_local has it. */
static void should_keep_memory_that_is_said_to_stay(void) {
    trib_memory *memory = allocate(MIB);
    void *own;
    EQUAL(posix_memalign(&own, 64, MIB), 0);
    trib_adapter_own(job, own, MIB);
    begin_count();
    OK(trib_get(memory, 1 - rank, 0, own, MIB));
    OK(trib_put(memory, 1 - rank, 0, own, MIB));
    OK(trib_get(memory, 1 - rank, 0, (uint8_t *) own + 64, LARGE));
    CHECK(adapter()->registered - made_before <= 2);
    EQUAL(job->links->adapter->begun - pieces_before, 3);
    trib_adapter_disown(job, own);
    EQUAL(adapter()->registration_count, 0);
    free(own);
    OK(trib_barrier(job));
    OK(trib_free(memory));
}

/** What is freed behind the back of the library, and other memory that comes to the same addresses. */
static void should_not_keep_other_memory(void) {
    trib_memory *memory = allocate(2 * MIB);
    uint8_t *own = mapped(NULL, 2 * MIB);
    fill(own, 2 * MIB, 1);
    begin_count();
    OK(trib_put(memory, 1 - rank, 0, own, 2 * MIB));
    count(2, 1);
    EQUAL(munmap(own, 2 * MIB), 0);
    CHECK(mapped(own, 2 * MIB) == own);
    begin_count();
    OK(trib_get(memory, 1 - rank, 0, own, 2 * MIB));
    count(2, 1);
    check_filled(own, 2 * MIB, 1);
    fill(own, 2 * MIB, 2);
    OK(trib_put(memory, 1 - rank, 0, own, 2 * MIB));
    memset(own, 0, 2 * MIB);
    OK(trib_get(memory, 1 - rank, 0, own, 2 * MIB));
    check_filled(own, 2 * MIB, 2);
    begin_count();
    OK(trib_get(memory, 1 - rank, 0, own, LARGE));
    count(3, 0); /* copying that takes less time */
    CHECK(adapter()->registrations == NULL && adapter()->once == NULL);
    munmap(own, 2 * MIB);
    OK(trib_barrier(job));
    OK(trib_free(memory));
}

static void should_let_the_least_recently_used_go(void) {
    trib_memory *memory = allocate(MIB);
    trib_memory *local = allocate((int64_t) PARTS * TRIB_REGISTERED_CHUNK);
    uint8_t *own = trib_memory_local(local);
    int64_t most = adapter()->most_registered;
    adapter()->most_registered = 3 * TRIB_REGISTERED_CHUNK;
    for (int round = 0; round < 2; round++) {
        for (int part = 0; part < PARTS; part++) {
            uint8_t *here = own + (int64_t) part * TRIB_REGISTERED_CHUNK;
            fill(here, MIB, (unsigned) part);
            OK(trib_put(memory, 1 - rank, 0, here, MIB));
            memset(here, 0, MIB);
            OK(trib_get(memory, 1 - rank, 0, here, MIB));
            check_filled(here, MIB, (unsigned) part);
            CHECK(adapter()->registered_bytes <= adapter()->most_registered);
        }
    }
    begin_count();
    for (int part = 0; part < PARTS; part++) { /* small ones find what is there, or room, or are copied */
        OK(trib_get(memory, 1 - rank, 0, own + (int64_t) part * TRIB_REGISTERED_CHUNK, LARGE));
    }
    CHECK(adapter()->registered - made_before <= 3);
    adapter()->most_registered = most;
    OK(trib_barrier(job));
    OK(trib_free(local));
    OK(trib_free(memory));
}

/** A source that must not be written cannot be registered with an adapter, and is copied there. */
static void should_put_from_memory_that_must_not_be_written(void) {
    trib_memory *memory = allocate(2 * MIB);
    uint8_t *own = mapped(NULL, 2 * MIB);
    fill(own, 2 * MIB, 9);
    EQUAL(mprotect(own, 2 * MIB, PROT_READ), 0);
    OK(trib_put(memory, 1 - rank, 0, own, 2 * MIB));
    OK(trib_barrier(job));
    check_filled(trib_memory_local(memory), 2 * MIB, 9);
    munmap(own, 2 * MIB);
    OK(trib_barrier(job));
    OK(trib_free(memory));
}

/** The message is looked for by the test in Java. */
static void should_copy_when_memory_cannot_be_registered(void) {
    trib_adapter_registrable = 2 * MIB;
    trib_memory *memory = allocate(4 * MIB);
    uint8_t *own = mapped(NULL, 4 * MIB);
    fill(own, 4 * MIB, 3);
    for (int round = 0; round < 2; round++) {
        begin_count();
        OK(trib_put(memory, 1 - rank, 0, own, 4 * MIB));
        OK(trib_get(memory, 1 - rank, 0, own, 4 * MIB));
        count(64, 0);
        check_filled(own, 4 * MIB, 3);
    }
    munmap(own, 4 * MIB);
    trib_memory *local = allocate(MIB / 2);
    begin_count();
    OK(trib_get(memory, 1 - rank, 0, trib_memory_local(local), LARGE));
    count(1, 1); /* much less */
    OK(trib_barrier(job));
    OK(trib_free(local));
    OK(trib_free(memory));
}

int main(int arguments, char **values) {
    job = attach();
    rank = trib_rank(job);
    CHECK(arguments == 2 && trib_size(job) == 2 && job->links->adapter != NULL);
    trib_adapter_registers = true;
    if (strcmp(values[1], "refused") == 0) {
        should_copy_when_memory_cannot_be_registered();
    } else {
        should_keep_memory_of_segments();
        should_keep_memory_that_is_said_to_stay();
        should_not_keep_other_memory();
        should_let_the_least_recently_used_go();
        should_put_from_memory_that_must_not_be_written();
    }
    OK(trib_detach(job));
    printf("registering: all well on rank %d\n", rank);
    return 0;
}
