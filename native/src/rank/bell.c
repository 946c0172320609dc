/* The bell of a rank in the control file: who sleeps there, and who wakes it. */
#include "rank.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

void trib_node_ring(const struct trib_node_memory *node, int index) {
    uint8_t *bell = trib_rank_block(node, index);
    int32_t *word = (int32_t *) (void *) (bell + TRIB_BELL_OFFSET);
    int32_t *sleepers = (int32_t *) (void *) (bell + TRIB_SLEEPERS_OFFSET);
    /* Orders the caller's store before the load of sleepers; partner: the addition in trib_node_sleep. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(sleepers, __ATOMIC_SEQ_CST) != 0) {
        __atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);
        syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    }
}

void trib_node_sleep(trib *job, trib_condition condition, void *context, int64_t ns) {
    uint8_t *bell = trib_rank_block(&job->node, job->node.index);
    int32_t *word = (int32_t *) (void *) (bell + TRIB_BELL_OFFSET);
    int32_t *sleepers = (int32_t *) (void *) (bell + TRIB_SLEEPERS_OFFSET);
    __atomic_fetch_add(sleepers, 1, __ATOMIC_SEQ_CST); /* partner: the fence in trib_node_ring */
    int32_t ticket = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    if (!condition(context) && !trib_has_failed(job)) {
        struct timespec timeout = trib_timespec(ns);
        syscall(SYS_futex, word, FUTEX_WAIT, ticket, &timeout, NULL, 0);
    }
    __atomic_fetch_sub(sleepers, 1, __ATOMIC_SEQ_CST);
}
