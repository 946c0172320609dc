/*
 * Which ranks form a node: those with the same TRIBUTARY_NODE; else, with TRIBUTARY_NODES=n, n runs of ranks that are
 * as equal as can be; else those of one machine.
 */
#include "bootstrap.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define NAME_BYTES 80

static int number_in(const char *variable, int least, int otherwise, struct trib_self *self) {
    const char *text = getenv(variable);
    size_t length = text == NULL ? 0 : trib_strip(&text);
    if (length == 0) {
        return otherwise;
    }
    char *end;
    long number = strtol(text, &end, 10);
    if (end != text + length || number < least || number > TRIB_MOST_NODES) {
        snprintf(self->problem, sizeof self->problem, "%s='%.50s' is not a number from %d", variable, text, least);
    }
    return (int) number;
}

const char *trib_secret_file(void) {
    const char *file = getenv(TRIB_VARIABLE_SECRET_FILE);
    return file == NULL || trib_strip(&file) == 0 ? NULL : file;
}

/** Containers of one machine differ in name or shm.directory, machines of one name in the id of their last start. */
static void name_machine(const char *shm_directory, char machine[TRIB_MACHINE_BYTES]) {
    char name[NAME_BYTES] = "";
    char boot[TRIB_TRACE_BOOT_BYTES + 1];
    struct stat memory;
    gethostname(name, sizeof name - 1);
    trib_boot_id(boot);
    bool known = stat(shm_directory, &memory) == 0;
    snprintf(machine, TRIB_MACHINE_BYTES, "%s %s %llu:%llu", name, boot, known ? (unsigned long long) memory.st_dev : 0,
             known ? (unsigned long long) memory.st_ino : 0);
}

void trib_self_describe(struct trib_self *self) {
    struct trib_settings settings;
    memset(self, 0, sizeof *self);
    bool known = trib_settings_read(&settings, NULL) == TRIB_OK;
    if (!known) {
        snprintf(self->problem, sizeof self->problem, "%.*s", TRIB_PROBLEM_BYTES - 1, trib_last_error()->message);
    }
    trib_release_text(self->release);
    name_machine(known ? settings.shm_directory : "", self->machine);
    self->node = number_in(TRIB_VARIABLE_NODE, 0, -1, self);
    self->nodes = number_in(TRIB_VARIABLE_NODES, 1, 0, self);
    self->encrypted = known && settings.encryption != TRIB_NETWORK_ENCRYPTION_NONE;
    self->has_secret = trib_secret_file() != NULL;
}

/**
 * The launcher carries in the clear what ranks tell each other while they start. From one machine to another that must
 * not be the secret that the keys of encryption come from: then each rank has to find it in a file.
 */
static int check_secret(const struct trib_self *all, int size, bool one_machine) {
    for (int other = 0; other < size; other++) {
        if (all[other].has_secret != all[0].has_secret) {
            return trib_fail(TRIB_INVALID_ARGUMENT, "TRIBUTARY_SECRET_FILE is set for rank %d otherwise than for rank"
                             " 0: the launcher has to pass it to all ranks", other);
        }
        if (all[other].encrypted && !all[0].has_secret && !one_machine) {
            return trib_fail(TRIB_INVALID_ARGUMENT, "network.encryption is set for rank %d, the ranks are on several"
                             " machines, and the launcher would carry the job's secret from one to the other in the"
                             " clear. Make a file with a secret, (umask 077; openssl rand -hex 32 > FILE), copy it to"
                             " each machine in a safe way, pass TRIBUTARY_SECRET_FILE=FILE to all ranks", other);
        }
    }
    return TRIB_OK;
}

/** FNV-1a. */
static uint64_t hash(const char *text) {
    uint64_t hash = 14695981039346656037u;
    for (; *text != '\0'; text++) {
        hash = (hash ^ (uint8_t) *text) * 1099511628211u;
    }
    return hash;
}

/** Puts for each rank the lowest of its machine. */
static int find_machines(const struct trib_self *all, int size, int *key) {
    struct trib_map lowest = {.count = 0}; /* by hash of the machine, or by the next number that is free */
    int status = TRIB_OK;
    for (int other = 0; status == TRIB_OK && other < size; other++) {
        uint64_t at = hash(all[other].machine);
        int64_t found;
        while ((found = trib_map_get(&lowest, (int64_t) at, -1)) >= 0
               && strcmp(all[found].machine, all[other].machine) != 0) {
            at++;
        }
        key[other] = found < 0 ? other : (int) found;
        if (found < 0 && !trib_map_put(&lowest, (int64_t) at, other)) {
            status = trib_fail(TRIB_NO_MEMORY, "no memory for the machines of %d ranks", size);
        }
    }
    trib_map_free(&lowest);
    return status;
}

/** Puts a number for each rank that is equal for those of one node. */
static int assign(const struct trib_self *all, int size, int *key) {
    for (int other = 0; other < size; other++) {
        if (strcmp(all[other].release, all[0].release) != 0) {
            return trib_fail(TRIB_INVALID_ARGUMENT, "rank %d on %.*s has another release of Tributary (%s)"
                             " than rank 0 on %.*s (%s): install one on all hosts", other,
                             (int) strcspn(all[other].machine, " "), all[other].machine, all[other].release,
                             (int) strcspn(all[0].machine, " "), all[0].machine, all[0].release);
        }
        if (all[other].problem[0] != '\0') {
            return trib_fail(TRIB_INVALID_ARGUMENT, "rank %d on %.*s: %s", other,
                             (int) strcspn(all[other].machine, " "), all[other].machine, all[other].problem);
        }
        if ((all[other].node < 0) != (all[0].node < 0) || all[other].nodes != all[0].nodes) {
            return trib_fail(TRIB_INVALID_ARGUMENT, "TRIBUTARY_NODES or TRIBUTARY_NODE is set for rank %d otherwise"
                             " than for rank 0", other);
        }
    }
    int nodes = all[0].nodes;
    if (all[0].node < 0 && nodes > size) {
        return trib_fail(TRIB_INVALID_ARGUMENT, "TRIBUTARY_NODES=%d, but there are %d ranks", nodes, size);
    }
    if (all[0].node < 0 && nodes == 0) {
        return find_machines(all, size, key);
    }
    for (int other = 0; other < size; other++) {
        if (all[other].node >= 0) {
            key[other] = all[other].node;
        } else {
            int larger = size % nodes * (size / nodes + 1); /* ranks of nodes that have one more than others */
            key[other] = other < larger ? other / (size / nodes + 1)
                : size % nodes + (other - larger) / (size / nodes);
        }
    }
    return TRIB_OK;
}

/** Numbers the nodes by their lowest ranks. */
static int number_nodes(const struct trib_self *all, const int *key, int size, struct trib_nodes *nodes) {
    struct trib_map numbers = {.count = 0}; /* by key */
    int status = TRIB_OK;
    nodes->one_machine = true;
    for (int other = 0; status == TRIB_OK && other < size; other++) {
        nodes->one_machine &= strcmp(all[other].machine, all[0].machine) == 0;
        int node = (int) trib_map_get(&numbers, key[other], nodes->count);
        if (node == nodes->count) {
            nodes->lowest[nodes->count++] = other;
            status = trib_map_put(&numbers, key[other], node) ? TRIB_OK
                : trib_fail(TRIB_NO_MEMORY, "no memory for the nodes of %d ranks", size);
        }
        nodes->node_of[other] = node;
        int lowest = nodes->lowest[node];
        if (status == TRIB_OK && strcmp(all[lowest].machine, all[other].machine) != 0) {
            status = trib_fail(TRIB_INVALID_ARGUMENT, "ranks %d and %d would be on one node, but run on %s and %s; see"
                             " TRIBUTARY_NODES and TRIBUTARY_NODE", lowest, other, all[lowest].machine,
                             all[other].machine);
        }
    }
    trib_map_free(&numbers);
    return status;
}

/** Of an item of a layout: two numbers, and what stands between them. */
#define ITEM_BYTES 24

/** Appends to the text, which has room for it. */
static void append(void *context, const char *text, size_t bytes) {
    char **end = context;
    memcpy(*end, text, bytes);
    *end += bytes;
}

/** In the shortest form: that of a large job in a regular order goes into the environment of a server. */
static int lay_out(int size, struct trib_nodes *nodes) {
    struct trib_topology topology;
    int status = trib_topology_of_ranks(&topology, nodes->node_of, size);
    if (status != TRIB_OK) {
        return status;
    }
    nodes->layout = calloc((size_t) size + 2, ITEM_BYTES);
    char *end = nodes->layout;
    if (nodes->layout == NULL) {
        status = trib_fail(TRIB_NO_MEMORY, "no memory for the layout of %d nodes", nodes->count);
    } else {
        trib_topology_write(&topology, append, &end);
    }
    trib_topology_free(&topology);
    return status;
}

int trib_nodes_find(const struct trib_self *all, int size, struct trib_nodes *nodes) {
    size_t ranks = (size_t) size;
    int *key = calloc(ranks, sizeof *key);
    *nodes = (struct trib_nodes) {.node_of = calloc(ranks, sizeof *key), .lowest = calloc(ranks, sizeof *key)};
    int status = key == NULL || nodes->node_of == NULL || nodes->lowest == NULL
        ? trib_fail(TRIB_NO_MEMORY, "no memory for the places of %d ranks", size) : assign(all, size, key);
    if (status == TRIB_OK) {
        status = number_nodes(all, key, size, nodes);
    }
    if (status == TRIB_OK) {
        status = lay_out(size, nodes);
    }
    if (status == TRIB_OK) {
        status = check_secret(all, size, nodes->one_machine);
    }
    free(key);
    return status;
}

void trib_nodes_free(struct trib_nodes *nodes) {
    free(nodes->node_of);
    free(nodes->lowest);
    free(nodes->layout);
}
