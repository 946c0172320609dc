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

/** As ranks in Java do, which may be in the same job. */
static void should_take_variables_without_blanks(void) {
    struct trib_self self;
    CHECK(setenv("TRIBUTARY_NODES", "4 ", 1) == 0 && setenv("TRIBUTARY_NODE", " ", 1) == 0
          && setenv("TRIBUTARY_SECRET_FILE", "\t", 1) == 0);
    trib_self_describe(&self);
    CHECK(self.problem[0] == '\0' && self.nodes == 4 && self.node == -1 && !self.has_secret);
    CHECK(setenv("TRIBUTARY_NODE", " 3\r", 1) == 0 && setenv("TRIBUTARY_SECRET_FILE", " secret ", 1) == 0);
    trib_self_describe(&self);
    CHECK(self.problem[0] == '\0' && self.node == 3 && self.has_secret);
    CHECK(setenv("TRIBUTARY_NODE", "3 4", 1) == 0);
    trib_self_describe(&self);
    CHECK(strstr(self.problem, "TRIBUTARY_NODE='3 4' is not a number") != NULL);
    CHECK(unsetenv("TRIBUTARY_NODES") == 0 && unsetenv("TRIBUTARY_NODE") == 0
          && unsetenv("TRIBUTARY_SECRET_FILE") == 0);
}

void test_nodes(void) {
    should_take_variables_without_blanks();
    should_number_machines_by_their_lowest_ranks();
    should_refuse_nodes_of_two_machines();
}
