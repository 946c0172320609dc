/* A rank, or the server of a node, dies while the others wait in several ways; ctest looks at what is left. */
#include "check.h"

#include <signal.h>

int main(int argc, char **argv) {
    begin(&argc, &argv);
    void **bases = allocate(1 << 20);
    const char *who = argc > 1 ? argv[1] : "";
    ARMCI_Barrier();
    if (strcmp(who, "lowest") == 0 && me == 0) {
        raise(SIGKILL);
    } else if (strcmp(who, "highest") == 0 && me == size - 1) {
        raise(SIGKILL);
    } else if (strcmp(who, "server") == 0 && me == size - 1) {
        char command[300];
        snprintf(command, sizeof command, "for p in /proc/[0-9]*; do [ \"$(cat $p/comm 2>/dev/null)\" = java ] &&"
                 " tr '\\0' '\\n' < $p/environ 2>/dev/null | grep -qx \"TRIBUTARY_SHM_DIRECTORY=%s\" &&"
                 " kill -9 ${p#/proc/}; done", getenv("TRIBUTARY_SHM_DIRECTORY"));
        CHECK(system(command) >= -1);
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
