#include <stdio.h>
#include <stdlib.h>
#include <tributary.h>

static void check(int status) {
    if (status != TRIB_OK) {
        fprintf(stderr, "%s\n", trib_last_error()->message);
        exit(1);
    }
}

int main(void) {
    trib *job;
    trib_memory *memory;
    int64_t greeting;
    check(trib_attach(&job));
    check(trib_allocate(trib_world(job), 16, &memory));
    check(trib_put_i64(memory, (trib_rank(job) + 1) % trib_size(job), 0, trib_rank(job)));
    check(trib_barrier(job));
    check(trib_get_i64(memory, trib_rank(job), 0, &greeting));
    printf("rank %d of %d was greeted by rank %lld\n", trib_rank(job), trib_size(job), (long long) greeting);
    check(trib_detach(job));
}
