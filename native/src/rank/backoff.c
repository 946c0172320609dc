/*
 * Back-off: between two polls a thread gives its core away, because the thread that it waits for may need this core. A
 * thread that computes keeps it for a slice of milliseconds; after that the core is not given away for a while, which
 * doubles each time that this happens again soon. As Backoff in Java.
 */
#include "rank.h"

#include <sched.h>

void trib_yield(trib *job) {
    struct trib_backoff *backoff = &job->backoff;
    int64_t before_ns = trib_now_ns();
    int64_t rest_until_ns = __atomic_load_n(&backoff->rest_until_ns, __ATOMIC_RELAXED);
    if (job->settings.dedicated || before_ns < rest_until_ns) {
        trib_pause();
        return;
    }
    sched_yield();
    int64_t now_ns = trib_now_ns();
    if (now_ns - before_ns > TRIB_BACKOFF_SLICE_NS) {
        int64_t rest_ns = __atomic_load_n(&backoff->rest_ns, __ATOMIC_RELAXED);
        bool soon = rest_ns > 0 && before_ns - rest_until_ns < TRIB_RESTS_TO_FORGET * rest_ns;
        int64_t longer_ns = 2 * rest_ns < TRIB_LONGEST_REST_NS ? 2 * rest_ns : TRIB_LONGEST_REST_NS;
        rest_ns = soon ? longer_ns : TRIB_SHORTEST_REST_NS;
        __atomic_store_n(&backoff->rest_ns, rest_ns, __ATOMIC_RELAXED);
        __atomic_store_n(&backoff->rest_until_ns, now_ns + rest_ns, __ATOMIC_RELAXED);
    }
}
