/*
 * Which ranks form a node: those with the same TRIBUTARY_NODE; else, with TRIBUTARY_NODES=n, n runs of ranks that are as
 * equal as can be; else those of one machine.
 */
#include "internal.h"

#include "base/topology.h"

#include <unistd.h>

#define MACHINE_BYTES 160

/** What each rank says of itself. */
struct self {
    char machine[MACHINE_BYTES];
    int node;  /* TRIBUTARY_NODE, or -1 */
    int nodes; /* TRIBUTARY_NODES, or 0 */
    int encrypted;   /* network.encryption is not none */
    int has_secret;  /* TRIBUTARY_SECRET_FILE is set */
    int bad;   /* one of them is no such number */
};

static int number_in(const char *variable, int least, int otherwise, int *bad) {
    const char *text = getenv(variable);
    if (text == NULL || *text == '\0') {
        return otherwise;
    }
    char *end;
    long number = strtol(text, &end, 10);
    if (*end != '\0' || number < least || number > 1000000) {
        arm_fail("ARMCI_Init", TRIB_INVALID_ARGUMENT, "%s='%s' is not a number from %d", variable, text, least);
        *bad = 1;
    }
    return (int) number;
}

static const char *secret_file(void) {
    const char *file = getenv("TRIBUTARY_SECRET_FILE");
    return file == NULL || *file == '\0' ? NULL : file;
}

/** Containers of one machine differ in name, machines of one name in the number of their last start. */
static void describe(struct self *self) {
    memset(self, 0, sizeof *self);
    gethostname(self->machine, MACHINE_BYTES / 2);
    size_t length = strlen(self->machine);
    FILE *boot = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (boot != NULL) {
        self->machine[length] = ' ';
        if (fgets(self->machine + length + 1, (int) (MACHINE_BYTES - length - 1), boot) != NULL) {
            self->machine[strcspn(self->machine, "\n")] = '\0';
        }
        fclose(boot);
    }
    self->node = number_in("TRIBUTARY_NODE", 0, -1, &self->bad);
    self->nodes = number_in("TRIBUTARY_NODES", 1, 0, &self->bad);
    const char *encryption = getenv("TRIBUTARY_NETWORK_ENCRYPTION");
    self->encrypted = encryption != NULL && strcmp(encryption, "none") != 0;
    self->has_secret = secret_file() != NULL;
}

/**
 * MPI says in the clear what ranks tell each other while they start. From one machine to another that must not be the
 * secret that the keys of encryption come from: then each rank has to find it in a file.
 */
static int check_secret(const struct self *all, int rank, int size, bool one_machine) {
    for (int other = 0; other < size; other++) {
        const char *problem = all[other].has_secret != all[0].has_secret
            ? "TRIBUTARY_SECRET_FILE is set for rank %d otherwise than for rank 0: mpirun has to pass it to all ranks"
            : all[other].encrypted && !all[0].has_secret && !one_machine
            ? "network.encryption is set for rank %d, the ranks are on several machines, and MPI would carry the job's"
              " secret from one to the other in the clear. Make a file with a secret, (umask 077; openssl rand -hex 32"
              " > FILE), copy it to each machine in a safe way, pass TRIBUTARY_SECRET_FILE=FILE to all ranks" : NULL;
        if (problem != NULL) {
            return rank != 0 ? TRIB_INVALID_ARGUMENT
                : arm_fail("ARMCI_Init", TRIB_INVALID_ARGUMENT, problem, other);
        }
    }
    return TRIB_OK;
}

/** Puts a number for each rank that is equal for those of one node. */
static int assign(const struct self *all, int rank, int size, int *key) {
    for (int other = 0; other < size; other++) {
        bool alike = (all[other].node < 0) == (all[0].node < 0) && all[other].nodes == all[0].nodes;
        if (all[other].bad || !alike) {
            return alike || rank != 0 ? TRIB_INVALID_ARGUMENT
                : arm_fail("ARMCI_Init", TRIB_INVALID_ARGUMENT, "TRIBUTARY_NODES or TRIBUTARY_NODE is set for rank %d"
                           " otherwise than for rank 0", other);
        }
    }
    int nodes = all[0].nodes;
    if (all[0].node < 0 && nodes > size) {
        return rank != 0 ? TRIB_INVALID_ARGUMENT
            : arm_fail("ARMCI_Init", TRIB_INVALID_ARGUMENT, "TRIBUTARY_NODES=%d, but there are %d ranks", nodes, size);
    }
    for (int other = 0; other < size; other++) {
        if (all[other].node >= 0) {
            key[other] = all[other].node;
        } else if (nodes > 0) {
            int larger = size % nodes * (size / nodes + 1); /* ranks of nodes that have one more than others */
            key[other] = other < larger ? other / (size / nodes + 1)
                : size % nodes + (other - larger) / (size / nodes);
        } else {
            for (key[other] = 0; strcmp(all[key[other]].machine, all[other].machine) != 0; key[other]++) {
            }
        }
    }
    return TRIB_OK;
}

/** Numbers the nodes by their lowest ranks. */
static int number_nodes(const struct self *all, const int *key, int rank, int size, struct arm_nodes *nodes) {
    nodes->one_machine = true;
    for (int other = 0; other < size; other++) {
        nodes->one_machine &= strcmp(all[other].machine, all[0].machine) == 0;
        int node = 0;
        while (node < nodes->count && key[nodes->lowest[node]] != key[other]) {
            node++;
        }
        if (node == nodes->count) {
            nodes->lowest[nodes->count++] = other;
        }
        nodes->node_of[other] = node;
        int lowest = nodes->lowest[node];
        if (strcmp(all[lowest].machine, all[other].machine) != 0) {
            return rank != 0 ? TRIB_INVALID_ARGUMENT
                : arm_fail("ARMCI_Init", TRIB_INVALID_ARGUMENT, "ranks %d and %d would be on one node, but run on %s and"
                           " %s; see TRIBUTARY_NODES and TRIBUTARY_NODE", lowest, other, all[lowest].machine,
                           all[other].machine);
        }
    }
    return TRIB_OK;
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
static int lay_out(int size, struct arm_nodes *nodes) {
    struct trib_topology topology;
    int status = trib_topology_of_ranks(&topology, nodes->node_of, size);
    if (status == TRIB_OK) {
        nodes->layout = arm_memory("ARMCI_Init", (size_t) size + 2, ITEM_BYTES);
        char *end = nodes->layout;
        trib_topology_write(&topology, append, &end);
    } else {
        arm_fail_last("ARMCI_Init");
    }
    trib_topology_free(&topology);
    return status;
}

int arm_nodes_find(MPI_Comm comm, int rank, int size, struct arm_nodes *nodes) {
    struct self self;
    size_t ranks = (size_t) size;
    struct self *all = arm_memory("ARMCI_Init", ranks, sizeof *all);
    int *key = arm_memory("ARMCI_Init", ranks, sizeof *key);
    *nodes = (struct arm_nodes) {0};
    nodes->node_of = arm_memory("ARMCI_Init", ranks, sizeof *nodes->node_of);
    nodes->lowest = arm_memory("ARMCI_Init", ranks, sizeof *nodes->lowest);
    describe(&self);
    MPI_Allgather(&self, sizeof self, MPI_BYTE, all, sizeof self, MPI_BYTE, comm);
    int status = assign(all, rank, size, key);
    if (status == TRIB_OK && (status = number_nodes(all, key, rank, size, nodes)) == TRIB_OK
        && (status = lay_out(size, nodes)) == TRIB_OK) {
        nodes->secret_file = secret_file();
        status = check_secret(all, rank, size, nodes->one_machine);
    }
    free(all);
    free(key);
    return status;
}

void arm_nodes_free(struct arm_nodes *nodes) {
    free(nodes->node_of);
    free(nodes->lowest);
    free(nodes->layout);
}
