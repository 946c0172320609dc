/* Removes directories of nodes whose servers are dead, as `tributary clean` does (org.tributary.server.NodeDirectories). */
#include "internal.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PREFIX "tributary-"
#define LOCK_PREFIX "lock-"
/** A directory without a lock may be one whose server is just starting. */
#define UNLOCKED_IS_STALE_AFTER_S 60

static bool is_locked(int directory, const char *name) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = openat(directory, name, O_WRONLY | O_CLOEXEC);
    bool locked = fd < 0 || fcntl(fd, F_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
    if (fd >= 0) {
        close(fd);
    }
    return locked;
}

static bool is_stale(int fd) {
    struct stat status;
    if (fstat(fd, &status) != 0 || status.st_uid != geteuid()) {
        return false;
    }
    DIR *entries = fdopendir(dup(fd));
    bool stale = entries != NULL && status.st_mtime < time(NULL) - UNLOCKED_IS_STALE_AFTER_S;
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        if (strncmp(entry->d_name, LOCK_PREFIX, strlen(LOCK_PREFIX)) == 0) {
            stale = !is_locked(fd, entry->d_name);
            break;
        }
    }
    if (entries != NULL) {
        closedir(entries);
    }
    return stale;
}

static void remove_all(int parent, const char *name, int fd) {
    DIR *entries = fdopendir(dup(fd));
    if (entries == NULL) {
        return;
    }
    rewinddir(entries);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        unlinkat(fd, entry->d_name, 0);
    }
    closedir(entries);
    unlinkat(parent, name, AT_REMOVEDIR);
}

bool arm_sweep(const char *awaited) {
    bool left = false;
    const char *path = getenv("TRIBUTARY_SHM_DIRECTORY");
    DIR *all = opendir(path == NULL ? "/dev/shm" : path);
    for (struct dirent *entry; all != NULL && (entry = readdir(all)) != NULL;) {
        if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) == 0) {
            int fd = openat(dirfd(all), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (fd >= 0 && is_stale(fd)) {
                remove_all(dirfd(all), entry->d_name, fd);
            } else if (awaited != NULL && strncmp(entry->d_name + strlen(PREFIX), awaited, strlen(awaited)) == 0) {
                left = true;
            }
            if (fd >= 0) {
                close(fd);
            }
        }
    }
    if (all != NULL) {
        closedir(all);
    }
    return left;
}
