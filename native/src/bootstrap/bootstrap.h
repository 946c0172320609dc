/*
 * How ranks become a job without `tributary run` or a job script; see org.tributary.client.bootstrap, whose keys and
 * texts these are, so that ranks in C and in Java can share a job. libarmci uses what is here of nodes and servers, and
 * asks MPI for the rest.
 */
#ifndef TRIB_BOOTSTRAP_H
#define TRIB_BOOTSTRAP_H

#include "base/base.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- what a process manager offers to the ranks that it has started ---- */

struct trib_key_values {
    const char *name; /* its interface, for messages */
    int rank;
    int size;
    size_t value_bytes; /* the longest value, without its end */
    int (*put)(struct trib_key_values *values, const char *key, const char *value);
    /** Gets the value that a rank has put before the last barrier. */
    int (*get)(struct trib_key_values *values, int rank, const char *key, char *value, size_t room);
    int (*barrier)(struct trib_key_values *values);
    /** Has the process manager end all ranks. */
    void (*abort)(struct trib_key_values *values, int exit_code, const char *message);
    /** This process has come to a good end. */
    void (*leave)(struct trib_key_values *values);
    int exchanges; /* so far */
};

/* ---- pmi.c, pmix.c, launcher.c: PMI-1, PMIx, or what else has launched this process ---- */

/** By the variables of a launcher; a barrier may take twice as long as other answers. */
int trib_pmi_open(struct trib_key_values *values, int64_t timeout_ns);
bool trib_pmi_is_offered(void);
bool trib_pmix_is_offered(void);
/** installed: whether there is a library of PMIx; without, nothing is opened. */
int trib_pmix_open(struct trib_key_values *values, int64_t timeout_ns, bool *installed);

/** Whether there may be other ranks that a process manager has launched. */
bool trib_is_launched(void);
/** Whether variables describe a job and this process's place in it, perhaps incompletely. */
bool trib_is_described(void);
/** Finds the launcher of this process, once for all jobs of it; a process alone when there is none. */
int trib_launcher_find(struct trib_key_values **found, int64_t timeout_ns);
/** From the first exchange for a job to the last. alike: whether all ranks have come to the same end of it. */
void trib_launcher_begin(void);
void trib_launcher_end(bool alike);

/* ---- exchange.c: texts of any length; collective ---- */

/** all: at rank 0 the texts of all ranks, to be freed with trib_texts_free; elsewhere NULL. */
int trib_exchange_gather(struct trib_key_values *values, const char *text, char ***all);
void trib_texts_free(char **all, int count);
/** told: rank 0's text, to be freed. */
int trib_exchange_broadcast(struct trib_key_values *values, const char *text, char **told);

/* ---- fields.c: texts as one ---- */

/** To be freed; NULL without memory. */
char *trib_fields_join(int count, const char *const *fields);
/** In place: replaces separators by ends. */
int trib_fields_split(char *joined, int count, char **fields);

/* ---- nodes.c: which ranks are on which node ---- */

#define TRIB_MACHINE_BYTES 224
#define TRIB_PROBLEM_BYTES 512

/** Facts about a rank, as it tells them itself. */
struct trib_self {
    char release[TRIB_RELEASE_BYTES]; /* of Tributary, as processes compare it */
    char machine[TRIB_MACHINE_BYTES]; /* the same for ranks of one machine that share memory */
    int node;                         /* TRIBUTARY_NODE, or -1 */
    int nodes;                        /* TRIBUTARY_NODES, or 0 */
    int encrypted;                    /* network.encryption is not none */
    int has_secret;                   /* TRIBUTARY_SECRET_FILE is set */
    char problem[TRIB_PROBLEM_BYTES]; /* with its variables, or empty */
};

struct trib_nodes {
    int count;
    int *node_of; /* by rank */
    int *lowest;  /* by node: its lowest rank */
    bool one_machine;
    char *layout; /* as in TRIBUTARY_LAYOUT */
};

void trib_self_describe(struct trib_self *self);
/** By what all ranks say of themselves. */
int trib_nodes_find(const struct trib_self *all, int size, struct trib_nodes *nodes);
void trib_nodes_free(struct trib_nodes *nodes);
/** TRIBUTARY_SECRET_FILE, or NULL; who reads it takes no notice of blanks behind it. */
const char *trib_secret_file(void);

/* ---- server.c: the communication server of a node ---- */

#define TRIB_ADDRESS_BYTES 288
/** For a server that no other rank waits for with a deadline: one that starts for the first time builds Tributary. */
#define TRIB_START_LIMIT_S ((int) (TRIB_ALONE_STARTS_NS / TRIB_NS_PER_S))

/** Decisions of rank 0 about a job, of which it tells all ranks. */
struct trib_plan {
    char job_id[TRIB_JOB_ID_BYTES + 1];
    uint8_t secret[TRIB_SECRET_BYTES]; /* zeros when the user has given a file with it */
    bool one_machine;
    const char *secret_file; /* or NULL */
    const char *layout;
};

/** A job id that begins so, and a secret unless there is a file with it. */
int trib_plan_make(struct trib_plan *plan, const char *prefix, bool with_secret);

/** A server that this process has started, or none. */
struct trib_server {
    int pid;     /* of the shell that waits for it and cleans up; 0 for none */
    int orders;  /* its standard input: its end says that this process has died */
    int answers; /* its standard output */
    int servers; /* a file in memory, in which it finds the addresses of all servers */
};

/** Starts the server of a node and waits until it listens; its address, or what went wrong. rank: for messages. */
int trib_server_start(struct trib_server *server, const struct trib_plan *plan, int node, int rank, int limit_s,
                      char address[TRIB_ADDRESS_BYTES]);
/** Tells it where the servers of all nodes listen: addresses, a line each. */
int trib_server_tell(const struct trib_server *server, const char *addresses);
/** This process has left the job in good order: the server stays until all others have. */
void trib_server_release(struct trib_server *server);
/** Waits until it has ended, as it does when all ranks have left, or now. */
void trib_server_end(struct trib_server *server, bool now);
/** Removes what dead servers of this user have left in shared memory. */
void trib_servers_sweep(void);

/* ---- launched.c: a job of ranks that have made it themselves ---- */

struct trib_launched {
    struct trib_key_values *launcher; /* NULL when the job was described by variables */
    struct trib_server server;
};

/**
 * Makes a job of the ranks of the launcher; collective over them. Sets the place of this one. It fails on all of them
 * when the settings of one are wrong.
 */
int trib_launch(struct trib_place *place, const struct trib_settings *settings, struct trib_launched *launched);
/** This rank, whose last error says why, cannot attach: the others would wait for it for ever. */
void trib_launched_give_up(struct trib_launched *launched);
/** This rank has left. */
void trib_launched_leave(struct trib_launched *launched);

/* ---- last.c: the rank of a node that leaves after all others of it ---- */

/** Its process will stay, when it ends, until the server has removed the node's directory. */
void trib_last_stays(const char *directory, int rank, int node);
/** Stays, at the end of the process, for the jobs for which it has to. */
void trib_last_stay(void);

#endif
