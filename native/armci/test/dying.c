/*
 * A rank, mpirun, or the servers die, the servers alone or with the shells that clean up after them ("all"), while the
 * others wait in several ways; ctest looks at what is left.
 */
#include "check.h"

#include <signal.h>

/** The process above this one whose name begins so, the highest of them. */
static int ancestor(const char *name) {
    int found = 0;
    for (int at = getppid(), up = 0; at > 1; at = up) {
        char path[64];
        char comm[64] = "";
        char state;
        snprintf(path, sizeof path, "/proc/%d/stat", at);
        FILE *file = fopen(path, "r");
        CHECK(file != NULL && fscanf(file, "%*d (%63[^)]) %c %d", comm, &state, &up) == 3);
        fclose(file);
        if (strncmp(comm, name, strlen(name)) == 0) {
            found = at;
        }
    }
    CHECK(found > 0);
    return found;
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    void **bases = allocate(1 << 20);
    const char *who = argc > 1 ? argv[1] : "";
    ARMCI_Barrier();
    if (strcmp(who, "lowest") == 0 && me == 0) {
        raise(SIGKILL);
    } else if (strcmp(who, "highest") == 0 && me == size - 1) {
        raise(SIGKILL);
    } else if ((strcmp(who, "server") == 0 || strcmp(who, "all") == 0) && me == size - 1) {
        char command[400];
        /* All at once: a rank can only clean up after its server as long as mpirun lets it live. */
        snprintf(command, sizeof command, "all=; for p in /proc/[0-9]*; do [ \"$(cat $p/comm 2>/dev/null)\" = java ] &&"
                 " tr '\\0' '\\n' < $p/environ 2>/dev/null | grep -qx \"TRIBUTARY_SHM_DIRECTORY=%s\" &&"
                 " all=\"$all ${p#/proc/} %s\"; done; kill -9 $all", getenv("TRIBUTARY_SHM_DIRECTORY"),
                 strcmp(who, "all") == 0 ? "$(cut -d ' ' -f 4 $p/stat)" : "");
        CHECK(system(command) >= -1);
    } else if (strcmp(who, "mpirun") == 0 && me == size - 1) {
        CHECK(kill(ancestor("mpi"), SIGKILL) == 0);
    } else if (strcmp(who, "exit") == 0 && me == size - 1) {
        exit(5);
    }
    if (me % 2 == 0) {
        for (;;) { /* computes */
            usleep(1000);
        }
    }
    char block[4096];
    for (;;) {
        CHECK(ARMCI_Get(bases[(me + 1) % size], block, sizeof block, (me + 1) % size) == 0);
        usleep(1000);
    }
}
