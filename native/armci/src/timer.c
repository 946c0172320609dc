/* The timer of message.h. */
#include "internal.h"

#include <time.h>

double armci_timer(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}
