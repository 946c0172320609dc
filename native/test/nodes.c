/* Which ranks are on which node, by what they say of themselves. */
#include "testing.h"

#include "bootstrap/bootstrap.h"
#include "units.h"

#define RANKS 20000
#define MACHINES 1000

static void should_number_machines_by_their_lowest_ranks(void) {
    struct trib_self *all = calloc(RANKS, sizeof *all);
    struct trib_nodes nodes;
    CHECK(all != NULL);
    for (int rank = 0; rank < RANKS; rank++) {
        all[rank].node = -1;
        snprintf(all[rank].machine, sizeof all[rank].machine, "host%d boot", rank * 7 % MACHINES);
    }
    OK(trib_nodes_find(all, RANKS, &nodes));
    EQUAL(nodes.count, MACHINES);
    CHECK(!nodes.one_machine);
    for (int rank = 0; rank < RANKS; rank++) {
        EQUAL(nodes.node_of[rank], rank % MACHINES);
    }
    EQUAL(nodes.lowest[MACHINES - 1], MACHINES - 1);
    trib_nodes_free(&nodes);
    free(all);
}

static void should_refuse_nodes_of_two_machines(void) {
    struct trib_self all[] = {{.node = 5, .machine = "a boot"}, {.node = 3, .machine = "b boot"},
        {.node = 5, .machine = "b boot"}};
    struct trib_nodes nodes;
    FAILS(trib_nodes_find(all, 3, &nodes), TRIB_INVALID_ARGUMENT, "ranks 0 and 2 would be on one node");
    trib_nodes_free(&nodes);
    all[2].machine[0] = 'a';
    OK(trib_nodes_find(all, 3, &nodes));
    CHECK(nodes.count == 2 && nodes.node_of[0] == 0 && nodes.node_of[1] == 1 && nodes.node_of[2] == 0);
    trib_nodes_free(&nodes);
}

void test_nodes(void) {
    should_number_machines_by_their_lowest_ranks();
    should_refuse_nodes_of_two_machines();
}
