#include "base.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

int64_t trib_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * TRIB_NS_PER_S + now.tv_nsec;
}

void trib_park(int64_t ns) {
    struct timespec time = {.tv_nsec = ns};
    nanosleep(&time, NULL);
}

void trib_boot_id(char id[TRIB_TRACE_BOOT_BYTES + 1]) {
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t bytes = fd < 0 ? 0 : read(fd, id, TRIB_TRACE_BOOT_BYTES);
    if (fd >= 0) {
        close(fd);
    }
    id[bytes > 0 ? bytes : 0] = '\0';
    if (bytes <= 0) {
        strcpy(id, "unknown");
    }
}
