#include "base.h"

#include <time.h>

int64_t trib_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * TRIB_NS_PER_S + now.tv_nsec;
}

void trib_park(int64_t ns) {
    struct timespec time = {.tv_nsec = ns};
    nanosleep(&time, NULL);
}
