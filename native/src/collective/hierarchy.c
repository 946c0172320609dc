#include "algorithms.h"

int trib_hierarchy_set(struct trib_hierarchy *hierarchy, const trib_group *group, bool flat) {
    int size = group->members.size;
    size_t count = (size_t) size;
    struct trib_map numbers = {0};
    *hierarchy = (struct trib_hierarchy) {
        .size = size,
        .node_of = calloc(count, sizeof(int)),
        .first_of = calloc(count + 2, sizeof(int)),
        .order = calloc(count, sizeof(int)),
        .place = calloc(count, sizeof(int)),
        .ordered = true,
    };
    int *next = calloc(count + 2, sizeof(int));
    bool enough = hierarchy->node_of != NULL && hierarchy->first_of != NULL && hierarchy->order != NULL
        && hierarchy->place != NULL && next != NULL;
    for (int member = 0; member < size && enough; member++) {
        int node = flat ? member : trib_node_of(group->job, trib_members_rank(&group->members, member));
        int number = (int) trib_map_get(&numbers, node, -1);
        if (number < 0) {
            number = hierarchy->nodes++;
            enough = trib_map_put(&numbers, node, number);
        }
        hierarchy->node_of[member] = number;
    }
    trib_map_free(&numbers);
    if (!enough) {
        free(next);
        return trib_fail(TRIB_NO_MEMORY, "no memory for the nodes of a group of %d members", size);
    }
    for (int member = 0; member < size; member++) {
        hierarchy->first_of[hierarchy->node_of[member] + 1]++;
    }
    int largest = 0;
    for (int node = 0; node < hierarchy->nodes; node++) {
        largest = hierarchy->first_of[node + 1] > largest ? hierarchy->first_of[node + 1] : largest;
        hierarchy->first_of[node + 1] += hierarchy->first_of[node];
    }
    hierarchy->local_rounds = trib_log2(largest);
    memcpy(next, hierarchy->first_of, (count + 2) * sizeof(int));
    for (int member = 0; member < size; member++) {
        int place = next[hierarchy->node_of[member]]++;
        hierarchy->place[member] = place;
        hierarchy->order[place] = member;
        hierarchy->ordered &= place == member;
    }
    free(next);
    return TRIB_OK;
}

void trib_hierarchy_free(struct trib_hierarchy *hierarchy) {
    free(hierarchy->node_of);
    free(hierarchy->first_of);
    free(hierarchy->order);
    free(hierarchy->place);
    *hierarchy = (struct trib_hierarchy) {0};
}
