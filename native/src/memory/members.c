/* Which ranks a group has, in its order; see org.tributary.client.segment.Members. */
#include "memory.h"

int trib_members_set(struct trib_members *members, int self_rank, int count, const int *ranks) {
    *members = (struct trib_members) {.self = -1, .size = count};
    members->ranks = malloc(((size_t) count + 1) * sizeof(int));
    if (members->ranks == NULL) {
        return trib_fail(TRIB_NO_MEMORY, "no memory for a group of %d members", count);
    }
    for (int i = 0; i < count; i++) {
        members->ranks[i] = ranks[i];
        if (trib_map_get(&members->numbers, ranks[i], -1) >= 0) {
            return trib_fail(TRIB_INVALID_ARGUMENT, "rank %d is named twice", ranks[i]);
        }
        if (!trib_map_put(&members->numbers, ranks[i], i)) {
            return trib_fail(TRIB_NO_MEMORY, "no memory for a group of %d members", count);
        }
    }
    members->self = (int) trib_map_get(&members->numbers, self_rank, -1);
    return TRIB_OK;
}

void trib_members_free(struct trib_members *members) {
    free(members->ranks);
    trib_map_free(&members->numbers);
    *members = (struct trib_members) {.self = -1};
}

int trib_members_rank(const struct trib_members *members, int member) {
    if (member < 0 || member >= members->size) {
        return -1;
    }
    return members->ranks == NULL ? member : members->ranks[member];
}

int trib_members_number(const struct trib_members *members, int rank) {
    if (members->ranks == NULL) {
        return rank >= 0 && rank < members->size ? rank : -1;
    }
    return (int) trib_map_get(&members->numbers, rank, -1);
}
