/* How long calls of the rank have waited for servers: see org.tributary.wire.shm.Latencies. */
#include "rank.h"

/** The bucket of a time, as in Latencies.bucket. */
static int bucket(int64_t ns) {
    const int64_t longest = ((int64_t) 1 << TRIB_LATENCY_LONGEST_BITS) - 1;
    const int64_t linear = (((int64_t) 2 << TRIB_LATENCY_HALF_BITS) - 1) << TRIB_LATENCY_UNIT_BITS;
    int64_t time = ns < 0 ? 0 : ns > longest ? longest : ns;
    int octave = 64 - TRIB_LATENCY_UNIT_BITS - TRIB_LATENCY_HALF_BITS - 1
        - __builtin_clzll((unsigned long long) (time | linear));
    return (octave << TRIB_LATENCY_HALF_BITS) + (int) (time >> (octave + TRIB_LATENCY_UNIT_BITS));
}

static void took(const trib *job, int kind, int64_t ns, int calls) {
    const struct trib_node_memory *node = &job->node;
    if (node->control != NULL) {
        uint8_t *counts = trib_rank_block(node, node->index) + TRIB_CONTROL_RANK_LATENCIES_OFFSET
            + (size_t) kind * TRIB_LATENCY_KIND_BYTES;
        int32_t *count = (int32_t *) (void *) counts + bucket(ns);
        __atomic_fetch_add(count, calls, __ATOMIC_RELAXED);
    }
}

int64_t trib_latency_ended(const trib *job, int kind, int64_t began_ns) {
    int64_t now_ns = trib_now_ns();
    took(job, kind, now_ns - began_ns, 1);
    return now_ns;
}

int64_t trib_latency_begin(struct trib_latency_sample *sample) {
    if (sample->is_sampling) {
        sample->random = trib_next_random(sample->random);
        if (sample->random >> (32 - TRIB_LATENCY_SAMPLE_BITS) != 0) {
            return INT64_MIN;
        }
    }
    return trib_now_ns();
}

void trib_latency_sampled(const trib *job, int kind, struct trib_latency_sample *sample, int64_t began_ns) {
    if (began_ns == INT64_MIN) {
        return;
    }
    int64_t now_ns = trib_now_ns();
    took(job, kind, now_ns - began_ns, sample->is_sampling ? 1 << TRIB_LATENCY_SAMPLE_BITS : 1);
    sample->is_sampling = now_ns - began_ns < TRIB_LATENCY_SAMPLED_NS;
    if (sample->random == 0) {
        sample->random = (uint32_t) now_ns | 1;
    }
}
