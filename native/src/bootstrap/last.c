/*
 * The rank of a node that leaves after all others of it: its process does not end before the node's server; see
 * org.tributary.client.bootstrap.LastOfNode.
 */
#include "bootstrap.h"

#include <sys/stat.h>
#include <unistd.h>

/** A job that this process has left. */
struct left {
    char directory[PATH_MAX];
    int rank;
    int node;
    pid_t process;
    struct left *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct left *all;

/** Until the server has removed its directory, or is dead: the job ends it, well or not, and nothing else does. */
static void stay(const struct left *left) {
    struct stat found;
    char shm[PATH_MAX];
    snprintf(shm, sizeof shm, "%.*s", (int) (strrchr(left->directory, '/') - left->directory), left->directory);
    int64_t began_ns = trib_now_ns();
    int64_t notice_at_ns = began_ns + TRIB_NOTICE_AFTER_NS;
    int64_t swept_ns = began_ns;
    while (stat(left->directory, &found) == 0) {
        int64_t now_ns = trib_now_ns();
        int64_t pause_ns = (now_ns - began_ns) / 8;
        if (now_ns - swept_ns >= TRIB_LAST_SWEEP_NS) {
            trib_sweep(shm, NULL);
            swept_ns = now_ns;
        }
        if (now_ns >= notice_at_ns) {
            fprintf(stderr, "tributary: rank %d has left, and still waits for the communication server of node %d,"
                    " which ranks of other nodes may use (%lld s)\n", left->rank, left->node,
                    (long long) ((now_ns - began_ns) / TRIB_NS_PER_S));
            notice_at_ns = now_ns + (now_ns - began_ns);
        }
        trib_park(pause_ns < TRIB_LAST_LOOK_NS ? TRIB_LAST_LOOK_NS
            : pause_ns > TRIB_LAST_LONGEST_LOOK_NS ? TRIB_LAST_LONGEST_LOOK_NS : pause_ns);
    }
}

void trib_last_stays(const char *directory, int rank, int node) {
    struct left *left = malloc(sizeof *left);
    if (left == NULL) {
        struct left now = {.rank = rank, .node = node};
        snprintf(now.directory, sizeof now.directory, "%s", directory);
        stay(&now); /* there is no memory to do so later */
        return;
    }
    *left = (struct left) {.rank = rank, .node = node, .process = getpid()};
    snprintf(left->directory, sizeof left->directory, "%s", directory);
    pthread_mutex_lock(&lock);
    left->next = all;
    all = left;
    pthread_mutex_unlock(&lock);
}

/** A process that was forked from a rank is not that rank. */
void trib_last_stay(void) {
    pthread_mutex_lock(&lock);
    struct left *left = all;
    all = NULL;
    pthread_mutex_unlock(&lock);
    while (left != NULL) {
        struct left *next = left->next;
        if (left->process == getpid()) {
            stay(left);
        }
        free(left);
        left = next;
    }
}
