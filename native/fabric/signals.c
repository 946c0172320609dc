/*
 * Provider shm handles some, to remove its files, and then raises them anew. A JVM lives on some of them: its own
 * handlers have to stay.
 */
#include "shim.h"

void tf_keep_signals(struct sigaction *kept) {
    for (int i = 1; i < TF_SIGNALS; i++) {
        sigaction(i, NULL, &kept[i]);
    }
}

void tf_restore_signals(const struct sigaction *kept) {
    for (int i = 1; i < TF_SIGNALS; i++) {
        sigaction(i, &kept[i], NULL); /* not for SIGKILL and SIGSTOP, which nobody handles */
    }
}
