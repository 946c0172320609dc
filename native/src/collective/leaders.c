/* Between the leaders of nodes; see the classes Circulant and RecursiveDoubling of the Java client. */
#include "algorithms.h"

static int leader(const struct trib_team *team, int node) {
    return trib_leader_of(&team->hierarchy, node % team->hierarchy.nodes);
}

int trib_leaders_reduce_scatter(const struct trib_team *team, uint8_t *buffer,
                                const struct trib_partition *partition, const struct trib_reduction *reduction) {
    int leaders = team->hierarchy.nodes;
    int index = team->node;
    int round = team->hierarchy.local_rounds;
    int held = leaders;
    while (held > 1) {
        int kept = (held + 1) / 2;
        struct trib_byte_range sent = trib_range_of_parts(team->transfers, partition, index + kept, index + held);
        struct trib_byte_range received = trib_range_of_parts(team->transfers, partition, index,
                                                              index + held - kept);
        TRIB_TRY(trib_exchange(team->transfers, round++, leader(team, index + kept), &sent,
                               leader(team, index + leaders - kept), &received, buffer, reduction));
        held = kept;
    }
    return TRIB_OK;
}

static int halved(int n, int times) {
    return (int) ((n + (1LL << times) - 1) >> times);
}

int trib_leaders_allgather(const struct trib_team *team, uint8_t *buffer, const struct trib_partition *partition) {
    int leaders = team->hierarchy.nodes;
    int index = team->node;
    int rounds = trib_log2(leaders);
    int round = team->hierarchy.local_rounds + rounds;
    for (int level = rounds - 1; level >= 0; level--) {
        int wanted = halved(leaders, level);
        int held = halved(leaders, level + 1);
        struct trib_byte_range sent = trib_range_of_parts(team->transfers, partition, index, index + wanted - held);
        struct trib_byte_range received = trib_range_of_parts(team->transfers, partition, index + held,
                                                              index + wanted);
        TRIB_TRY(trib_exchange(team->transfers, round++, leader(team, index + leaders - held), &sent,
                               leader(team, index + held), &received, buffer, NULL));
    }
    return TRIB_OK;
}

int trib_leaders_allreduce(const struct trib_team *team, uint8_t *buffer, int64_t bytes,
                           const struct trib_reduction *reduction) {
    struct trib_transfers *transfers = team->transfers;
    struct trib_byte_range whole = trib_range_of(transfers, 0, bytes);
    int index = team->node;
    int fold_round = team->hierarchy.local_rounds;
    int participants = 1 << (31 - __builtin_clz((unsigned) team->hierarchy.nodes));
    int folded = team->hierarchy.nodes - participants;
    bool paired = index < 2 * folded;
    if (paired && index % 2 == 0) {
        int partner = leader(team, index + 1);
        TRIB_TRY(trib_send_stream(transfers, fold_round, partner, buffer, &whole));
        return trib_receive_stream(transfers, fold_round, partner, buffer, &whole, NULL);
    }
    if (paired) {
        TRIB_TRY(trib_receive_stream(transfers, fold_round, leader(team, index - 1), buffer, &whole, reduction));
    }
    int position = paired ? index / 2 : index - folded;
    int round = fold_round + 1;
    for (int distance = 1; distance < participants; distance *= 2) {
        int other = position ^ distance;
        int partner = leader(team, other < folded ? 2 * other + 1 : other + folded);
        TRIB_TRY(trib_exchange(transfers, round++, partner, &whole, partner, &whole, buffer, reduction));
    }
    return paired ? trib_send_stream(transfers, fold_round, leader(team, index - 1), buffer, &whole) : TRIB_OK;
}
