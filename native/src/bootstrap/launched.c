/* A job of ranks that have made it themselves; see org.tributary.client.bootstrap.Launched. */
#include "bootstrap.h"

/** The way of a rank to its job. */
struct start {
    struct trib_key_values *launcher;
    struct trib_nodes nodes; /* at rank 0 */
    char *told;              /* rank 0's plan, whose fields follow */
    struct trib_plan plan;
    struct trib_topology topology;
    int node;
    bool starts; /* the server of its node */
    bool agreed; /* all ranks know what went wrong */
};

static char *encode_self(const struct trib_self *self) {
    char node[16];
    char nodes[16];
    snprintf(node, sizeof node, "%d", self->node);
    snprintf(nodes, sizeof nodes, "%d", self->nodes);
    return trib_fields_join(TRIB_SELF_FIELDS, (const char *[]) {self->release, self->machine, node, nodes,
        self->encrypted ? "1" : "0", self->has_secret ? "1" : "0", self->problem});
}

static int decode_self(char *text, struct trib_self *self) {
    char *fields[TRIB_SELF_FIELDS];
    TRIB_TRY(trib_fields_split(text, TRIB_SELF_FIELDS, fields));
    *self = (struct trib_self) {.node = atoi(fields[2]), .nodes = atoi(fields[3]), .encrypted = *fields[4] == '1',
        .has_secret = *fields[5] == '1'};
    snprintf(self->release, sizeof self->release, "%s", fields[0]);
    snprintf(self->machine, sizeof self->machine, "%s", fields[1]);
    snprintf(self->problem, sizeof self->problem, "%s", fields[6]);
    return TRIB_OK;
}

static int no_memory(void) {
    return trib_fail(TRIB_NO_MEMORY, "no memory to make a job");
}

/** Rank 0's: the nodes, from what all say of themselves. */
static int find_nodes(struct start *start, char **texts) {
    int size = start->launcher->size;
    struct trib_self *all = calloc((size_t) size, sizeof *all);
    int status = all == NULL ? no_memory() : TRIB_OK;
    for (int rank = 0; status == TRIB_OK && rank < size; rank++) {
        status = decode_self(texts[rank], &all[rank]);
    }
    if (status == TRIB_OK) {
        status = trib_nodes_find(all, size, &start->nodes);
    }
    free(all);
    return status;
}

/** Rank 0's: the plan as a text, or what is wrong. */
static char *make_plan(struct start *start, char **texts) {
    struct trib_plan plan = {.one_machine = false};
    char hex[2 * TRIB_SECRET_BYTES + 1] = "";
    bool with_secret = trib_secret_file() == NULL;
    int status = find_nodes(start, texts);
    if (status == TRIB_OK) {
        status = trib_plan_make(&plan, start->launcher->size == 1 ? TRIB_PLAN_ALONE : TRIB_PLAN_RANKS, with_secret);
    }
    for (int i = 0; status == TRIB_OK && with_secret && i < TRIB_SECRET_BYTES; i++) {
        snprintf(hex + 2 * i, 3, "%02x", plan.secret[i]);
    }
    char *text = status != TRIB_OK
        ? trib_fields_join(TRIB_PLAN_FIELDS, (const char *[]) {TRIB_PLAN_BAD, trib_last_error()->message, "", "", ""})
        : trib_fields_join(TRIB_PLAN_FIELDS, (const char *[]) {TRIB_PLAN_GOOD, plan.job_id, hex, start->nodes.layout,
            start->nodes.one_machine ? "1" : "0"});
    explicit_bzero(hex, sizeof hex);
    explicit_bzero(&plan, sizeof plan);
    return text;
}

static int read_plan(struct start *start) {
    char *fields[TRIB_PLAN_FIELDS];
    TRIB_TRY(trib_fields_split(start->told, TRIB_PLAN_FIELDS, fields));
    if (strcmp(fields[0], TRIB_PLAN_GOOD) != 0) {
        start->agreed = true;
        return trib_fail(TRIB_ATTACH_FAILED, "%s", fields[1]);
    }
    struct trib_plan *plan = &start->plan;
    snprintf(plan->job_id, sizeof plan->job_id, "%s", fields[1]);
    for (size_t i = 0; i < TRIB_SECRET_BYTES && strlen(fields[2]) == 2 * TRIB_SECRET_BYTES; i++) {
        unsigned value = 0;
        sscanf(fields[2] + 2 * i, "%2x", &value);
        plan->secret[i] = (uint8_t) value;
    }
    plan->secret_file = trib_secret_file();
    plan->layout = fields[3];
    plan->one_machine = *fields[4] == '1';
    int rank = start->launcher->rank;
    TRIB_TRY(trib_topology_parse(&start->topology, plan->layout));
    start->node = trib_topology_node_of(&start->topology, rank);
    start->starts = true;
    for (int other = 0; other < rank; other++) {
        start->starts &= trib_topology_node_of(&start->topology, other) != start->node;
    }
    return TRIB_OK;
}

static int agree_on_plan(struct start *start) {
    struct trib_self self;
    char **texts = NULL;
    trib_self_describe(&self);
    char *own = encode_self(&self);
    int status = own == NULL ? no_memory() : trib_exchange_gather(start->launcher, own, &texts);
    free(own);
    TRIB_TRY(status);
    char *plan = start->launcher->rank == 0 ? make_plan(start, texts) : strdup("");
    trib_texts_free(texts, start->launcher->size);
    status = plan == NULL ? no_memory() : trib_exchange_broadcast(start->launcher, plan, &start->told);
    if (plan != NULL) {
        explicit_bzero(plan, strlen(plan));
    }
    free(plan);
    return status == TRIB_OK ? read_plan(start) : status;
}

/** Rank 0's: the addresses by node, or the first problem. */
static char *join_addresses(const struct start *start, char **texts) {
    char *list = calloc((size_t) start->topology.node_count, TRIB_ADDRESS_BYTES + 1);
    char *fields[TRIB_STATUS_FIELDS] = {"", ""};
    size_t used = 0;
    /* Nodes are numbered by their lowest ranks, which are those that have something to say. */
    for (int rank = 0; list != NULL && rank < start->launcher->size; rank++) {
        if (*texts[rank] == '\0') {
            continue;
        }
        bool is_good = trib_fields_split(texts[rank], TRIB_STATUS_FIELDS, fields) == TRIB_OK
            && strcmp(fields[0], TRIB_PLAN_GOOD) == 0;
        if (!is_good) {
            char *problem = trib_fields_join(TRIB_STATUS_FIELDS, (const char *[]) {TRIB_PLAN_BAD, fields[1]});
            free(list);
            return problem;
        }
        used += (size_t) sprintf(list + used, "%s%.*s", used == 0 ? "" : ",", TRIB_ADDRESS_BYTES - 1, fields[1]);
    }
    char *result = list == NULL ? NULL : trib_fields_join(TRIB_STATUS_FIELDS, (const char *[]) {TRIB_PLAN_GOOD, list});
    free(list);
    return result;
}

static char *start_server(const struct start *start, const struct trib_settings *settings, struct trib_server *server) {
    char address[TRIB_ADDRESS_BYTES];
    char problem[TRIB_ADDRESS_BYTES + 512];
    int rank = start->launcher->rank;
    int limit_s = start->launcher->size == 1 ? TRIB_START_LIMIT_S
        : (int) (settings->attach_timeout_ns / TRIB_NS_PER_S) + 1;
    if (trib_server_start(server, &start->plan, start->node, rank, limit_s, address) == TRIB_OK) {
        return trib_fields_join(TRIB_STATUS_FIELDS, (const char *[]) {TRIB_PLAN_GOOD, address});
    }
    snprintf(problem, sizeof problem, "rank %d: %s", rank, trib_last_error()->message);
    return trib_fields_join(TRIB_STATUS_FIELDS, (const char *[]) {TRIB_PLAN_BAD, problem});
}

/** addresses: of all servers, by node; to be freed. */
static int start_servers(struct start *start, const struct trib_settings *settings, struct trib_server *server,
                         char **addresses) {
    struct trib_key_values *launcher = start->launcher;
    char **texts = NULL;
    char *told = NULL;
    char *fields[TRIB_STATUS_FIELDS];
    char *own = start->starts ? start_server(start, settings, server) : strdup("");
    int status = own == NULL ? no_memory() : trib_exchange_gather(launcher, own, &texts);
    free(own);
    TRIB_TRY(status);
    char *all = launcher->rank == 0 ? join_addresses(start, texts) : strdup("");
    trib_texts_free(texts, launcher->size);
    status = all == NULL ? no_memory() : trib_exchange_broadcast(launcher, all, &told);
    free(all);
    if (status == TRIB_OK) {
        status = trib_fields_split(told, TRIB_STATUS_FIELDS, fields);
    }
    if (status == TRIB_OK && strcmp(fields[0], TRIB_PLAN_GOOD) != 0) {
        start->agreed = true;
        status = trib_fail(TRIB_ATTACH_FAILED, "%s", fields[1]);
    }
    *addresses = status == TRIB_OK ? strdup(fields[1]) : NULL;
    free(told);
    return status == TRIB_OK && *addresses == NULL ? no_memory() : status;
}

static int tell_server(const struct trib_server *server, const char *addresses) {
    size_t length = strlen(addresses);
    char *lines = malloc(length + 2);
    if (lines == NULL) {
        return no_memory();
    }
    for (size_t i = 0; i < length; i++) {
        lines[i] = addresses[i] == ',' ? '\n' : addresses[i];
    }
    strcpy(lines + length, "\n");
    int status = trib_server_tell(server, lines);
    free(lines);
    return status;
}

static int run(struct start *start, struct trib_place *place, const struct trib_settings *settings,
               struct trib_server *server) {
    char *addresses = NULL;
    TRIB_TRY(agree_on_plan(start));
    TRIB_TRY(start_servers(start, settings, server, &addresses));
    int status = start->starts ? tell_server(server, addresses) : TRIB_OK;
    if (status == TRIB_OK) {
        trib_job description = {.job_id = start->plan.job_id, .secret = start->plan.secret,
            .secret_bytes = TRIB_SECRET_BYTES, .secret_file = start->plan.secret_file, .layout = start->plan.layout,
            .rank = start->launcher->rank, .servers = addresses};
        status = trib_place_set(place, &description);
    }
    free(addresses);
    return status;
}

/** A launcher that is told to end everything forwards no output any more: it gets time for what is said before. */
static void abort_all(struct trib_key_values *launcher) {
    fprintf(stderr, "tributary: %s\n", trib_last_error()->message);
    fflush(stderr);
    trib_park(TRIB_FORWARDED_NS);
    launcher->abort(launcher, TRIB_GIVE_UP_CODE, trib_last_error()->message);
}

int trib_launch(struct trib_place *place, const struct trib_settings *settings, struct trib_launched *launched) {
    struct start start = {.agreed = false};
    TRIB_TRY(trib_launcher_find(&start.launcher, settings->attach_timeout_ns));
    trib_launcher_begin();
    int status = run(&start, place, settings, &launched->server);
    bool alike = status == TRIB_OK || start.agreed || start.launcher->size == 1;
    if (status == TRIB_OK) {
        launched->launcher = start.launcher;
    } else {
        bool alone = start.launcher->size == 1;
        char message[sizeof trib_last_error()->message];
        strcpy(message, trib_last_error()->message);
        trib_server_end(&launched->server, true);
        status = alone ? trib_fail(TRIB_ATTACH_FAILED, "%s", message)
            : trib_fail(TRIB_ATTACH_FAILED, "rank %d of %d (%s) cannot make a job with the others: %s",
                        start.launcher->rank, start.launcher->size, start.launcher->name, message);
        if (!alike) {
            abort_all(start.launcher);
        }
    }
    trib_launcher_end(alike);
    explicit_bzero(start.plan.secret, sizeof start.plan.secret);
    if (start.told != NULL) {
        explicit_bzero(start.told, strlen(start.told));
    }
    free(start.told);
    trib_nodes_free(&start.nodes);
    trib_topology_free(&start.topology);
    return status;
}

void trib_launched_give_up(struct trib_launched *launched) {
    if (launched->launcher != NULL) {
        char message[sizeof trib_last_error()->message];
        strcpy(message, trib_last_error()->message);
        trib_server_end(&launched->server, true);
        trib_fail(TRIB_ATTACH_FAILED, "%s", message);
        if (launched->launcher->size > 1) {
            trib_launcher_begin();
            abort_all(launched->launcher);
            trib_launcher_end(false);
        }
    }
    launched->launcher = NULL;
}

void trib_launched_leave(struct trib_launched *launched) {
    if (launched->launcher != NULL) {
        launched->launcher = NULL;
        trib_server_release(&launched->server);
    }
}
