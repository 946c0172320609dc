/* Layouts of ranks on nodes, against a list that holds the node of each rank. */
#include "base/base.h"
#include "testing.h"
#include "units.h"

#define MOST_NODES 6
#define MOST_RANKS 40
#define TEXT_BYTES 400

static unsigned random_state = 1;

static int random_below(int limit) {
    random_state = random_state * 1103515245U + 12345U;
    return (int) (random_state >> 16) % limit;
}

struct text {
    char bytes[TEXT_BYTES];
    size_t length;
};

static void append(void *context, const char *bytes, size_t count) {
    struct text *text = context;
    CHECK(text->length + count < sizeof text->bytes);
    memcpy(text->bytes + text->length, bytes, count);
    text->length += count;
    text->bytes[text->length] = '\0';
}

static struct text text_of(const struct trib_topology *topology) {
    struct text text = {.length = 0};
    trib_topology_write(topology, append, &text);
    return text;
}

/** By rank, node by node. */
static void check(const struct trib_topology *topology, const int *node_of, int ranks, int nodes) {
    EQUAL(topology->rank_count, ranks);
    EQUAL(topology->node_count, nodes);
    int place = 0;
    for (int node = 0; node < nodes; node++) {
        int index = 0;
        EQUAL(trib_topology_ranks_below(topology, node), place);
        for (int rank = 0; rank < ranks; rank++) {
            if (node_of[rank] == node) {
                EQUAL(trib_topology_node_of(topology, rank), node);
                EQUAL(trib_topology_index_of(topology, rank), index);
                EQUAL(trib_topology_rank_at(topology, node, index++), rank);
                EQUAL(trib_topology_place_by_node(topology, rank), place++);
            }
        }
        EQUAL(trib_topology_node_size(topology, node), index);
        EQUAL(trib_topology_rank_at(topology, node, index), -1);
        EQUAL(trib_topology_rank_at(topology, node, -1), -1);
        EQUAL(trib_topology_first_rank(topology, node), trib_topology_rank_at(topology, node, 0));
    }
    EQUAL(trib_topology_ranks_below(topology, nodes), ranks);
    EQUAL(trib_topology_node_of(topology, ranks), -1);
    EQUAL(trib_topology_node_of(topology, -1), -1);
    EQUAL(trib_topology_index_of(topology, ranks), -1);
    EQUAL(trib_topology_place_by_node(topology, ranks), -1);
    EQUAL(trib_topology_first_rank(topology, nodes), -1);
    EQUAL(trib_topology_node_size(topology, nodes), -1);
}

/** As parsed, as listed, and read back from what was written: one placement has one text. */
static void check_text(const char *layout, const int *node_of, int ranks, int nodes) {
    struct trib_topology parsed;
    struct trib_topology listed;
    struct trib_topology again;
    OK(trib_topology_parse(&parsed, layout));
    check(&parsed, node_of, ranks, nodes);
    OK(trib_topology_of_ranks(&listed, node_of, ranks));
    check(&listed, node_of, ranks, nodes);
    struct text text = text_of(&parsed);
    OK(trib_topology_parse(&again, text.bytes));
    check(&again, node_of, ranks, nodes);
    CHECK(strcmp(text.bytes, text_of(&listed).bytes) == 0);
    CHECK(strcmp(text.bytes, text_of(&again).bytes) == 0);
    trib_topology_free(&parsed);
    trib_topology_free(&listed);
    trib_topology_free(&again);
}

static void should_agree_with_dealing_when_ranks_are_dealt(void) {
    for (int round = 0; round < 3000; round++) {
        int nodes = 1 + random_below(MOST_NODES);
        int chunk = 1 + random_below(5);
        bool block = round % 4 == 0;
        int left[MOST_NODES];
        int node_of[MOST_RANKS];
        int ranks = 0;
        int total = 0;
        struct text layout = {.length = 0};
        char item[40];
        if (!block) {
            append(&layout, item, (size_t) snprintf(item, sizeof item, "cyclic(%d):", chunk));
        }
        for (int node = 0; node < nodes; node++) {
            left[node] = 1 + random_below(6);
            total += left[node];
            append(&layout, item, (size_t) snprintf(item, sizeof item, "%s%d", node == 0 ? "" : ",", left[node]));
        }
        while (ranks < total) {
            for (int node = 0; node < nodes; node++) {
                for (int i = 0; (block || i < chunk) && left[node] > 0; i++, left[node]--) {
                    node_of[ranks++] = node;
                }
            }
        }
        check_text(layout.bytes, node_of, ranks, nodes);
    }
}

static void should_agree_with_the_list_when_ranks_are_listed(void) {
    for (int round = 0; round < 3000; round++) {
        int nodes = 1 + random_below(MOST_NODES);
        int ranks = nodes + random_below(MOST_RANKS - MOST_NODES + 1);
        int node_of[MOST_RANKS];
        struct text layout = {.length = 0};
        char item[40];
        for (int rank = 0; rank < ranks; rank++) {
            node_of[rank] = rank < nodes ? rank : random_below(nodes);
        }
        for (int rank = ranks - 1; rank > 0; rank--) {
            int other = random_below(rank + 1);
            int node = node_of[rank];
            node_of[rank] = node_of[other];
            node_of[other] = node;
        }
        for (int rank = 0; rank < ranks; rank++) {
            int length = snprintf(item, sizeof item, "%s%d", rank == 0 ? "map:" : ",", node_of[rank]);
            append(&layout, item, (size_t) length);
        }
        check_text(layout.bytes, node_of, ranks, nodes);
    }
}

static void should_answer_at_once_when_ranks_are_many(void) {
    struct trib_topology topology;
    OK(trib_topology_parse(&topology, "3, 2*2,1000000*1"));
    EQUAL(topology.rank_count, 1000007);
    EQUAL(trib_topology_node_of(&topology, 1000006), 1000002);
    trib_topology_free(&topology);
    OK(trib_topology_parse(&topology, "cyclic(4):125000*8,1000*3"));
    EQUAL(trib_topology_node_of(&topology, 1002999), 124999);
    EQUAL(trib_topology_rank_at(&topology, 1, 4), 503004);
    trib_topology_free(&topology);
    OK(trib_topology_parse(&topology, "map:1000000000*1,1000000000*0"));
    EQUAL(trib_topology_rank_at(&topology, 0, 500000000), 1500000000);
    trib_topology_free(&topology);
}

static void should_refuse_what_is_no_layout(void) {
    static const char *const bad[][2] = {{"", "'' is not a number"}, {"0", "one rank, not 0"},
        {"1;1", "'1;1' is not a number"}, {"2000000000*2", "limit is 2147483647"}, {"cyclic(0):2", "at a time, not 0"},
        {"map:0,2", "node 1 has no rank, but rank 1 is on node 2"}, {"map:0,-1", "rank 1 is on node -1"},
        {"plane:2", "it begins with 'plane:'"}};
    struct trib_topology topology;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        FAILS(trib_topology_parse(&topology, bad[i][0]), TRIB_ATTACH_FAILED, bad[i][1]);
        CHECK(strncmp(trib_last_error()->message, "layout '", strlen("layout '")) == 0);
        trib_topology_free(&topology);
    }
    FAILS(trib_topology_of_ranks(&topology, NULL, 0), TRIB_ATTACH_FAILED, "at least one rank");
    trib_topology_free(&topology);
}

void test_topology(void) {
    should_agree_with_dealing_when_ranks_are_dealt();
    should_agree_with_the_list_when_ranks_are_listed();
    should_answer_at_once_when_ranks_are_many();
    should_refuse_what_is_no_layout();
}

void print_layouts(int count, char **layouts) {
    for (int i = 0; i < count; i++) {
        struct trib_topology topology;
        if (trib_topology_parse(&topology, layouts[i]) == TRIB_OK) {
            puts(text_of(&topology).bytes);
        } else {
            puts(trib_last_error()->message);
        }
        trib_topology_free(&topology);
    }
}
