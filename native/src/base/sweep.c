/* Removes directories of nodes whose servers are dead, as `tributary clean` does (org.tributary.wire.shm.LockedDirectory). */
#include "sweep.h"
#include "base.h"
#include "shared/client.h"
#include "shared/options.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool begins_with(const char *name, const char *prefix) {
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

/** tributary-JOB-NODE, where JOB may have hyphens, too. */
static bool is_of_a_node(const char *name) {
    const char *hyphen = strrchr(name, '-');
    if (!begins_with(name, TRIB_NODE_DIRECTORY) || hyphen[1] == '\0'
        || strspn(hyphen + 1, "0123456789") != strlen(hyphen + 1)) {
        return false;
    }
    const char *job = name + strlen(TRIB_NODE_DIRECTORY);
    bool legal = hyphen > job && hyphen - job <= TRIB_JOB_ID_BYTES;
    for (; legal && job < hyphen; job++) {
        legal = isalnum((unsigned char) *job) || strchr("._-", *job) != NULL;
    }
    return legal;
}

/** What is left of a job. */
struct left {
    bool any;
    bool dying; /* a process that holds a lock there has been killed */
};

/** Whether a process has been killed, or parts of it have ended: then it lets go of its locks in a moment. */
static bool is_dying(pid_t pid) {
    char path[40];
    char line[200];
    bool dying = false;
    snprintf(path, sizeof path, "/proc/%d/status", (int) pid);
    FILE *file = pid > 0 ? fopen(path, "re") : NULL;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char state;
        unsigned long long pending;
        dying |= sscanf(line, "State: %c", &state) == 1 && (state == 'Z' || state == 'X');
        dying |= (sscanf(line, "SigPnd: %llx", &pending) == 1 || sscanf(line, "ShdPnd: %llx", &pending) == 1)
            && (pending >> (SIGKILL - 1) & 1) != 0;
    }
    if (file != NULL) {
        fclose(file);
    }
    return dying;
}

/** Nothing but a file is opened: a pipe would wait for its reader. *dying is set when the holder is. */
static bool is_locked(int directory, const char *name, bool *dying) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct stat status;
    if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) {
        return true;
    }
    int fd = openat(directory, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool locked = fd < 0 || fcntl(fd, F_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
    if (fd >= 0) {
        *dying |= locked && is_dying(lock.l_pid);
        close(fd);
    }
    return locked;
}

static DIR *list(int fd) {
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    DIR *entries = copy < 0 ? NULL : fdopendir(copy);
    if (entries != NULL) {
        rewinddir(entries);
    } else if (copy >= 0) {
        close(copy);
    }
    return entries;
}

static bool is_own(const struct stat *status) {
    return S_ISDIR(status->st_mode) && status->st_uid == geteuid() && (status->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool trib_is_own_directory(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0 && is_own(&status);
}

/** A directory that this user alone can change, holds no directories, and is not locked; or by what is *dying. */
static bool is_stale(int fd, bool *dying) {
    struct stat status;
    if (fstat(fd, &status) != 0 || !is_own(&status)) {
        return false;
    }
    DIR *entries = list(fd);
    bool stale = entries != NULL;
    bool has_lock = false;
    for (struct dirent *entry; stale && (entry = readdir(entries)) != NULL;) {
        struct stat found;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        if (begins_with(entry->d_name, TRIB_LOCK_FILE)) {
            has_lock = true;
            stale = !is_locked(fd, entry->d_name, dying);
        } else if (fstatat(fd, entry->d_name, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(found.st_mode)) {
            stale = false;
        }
    }
    if (entries != NULL) {
        closedir(entries);
    }
    return stale && (has_lock || status.st_mtime < time(NULL) - TRIB_UNLOCKED_IS_STALE_AFTER_S);
}

static void remove_files(int fd, bool locks) {
    DIR *entries = list(fd);
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        if (begins_with(entry->d_name, TRIB_LOCK_FILE) == locks) {
            unlinkat(fd, entry->d_name, 0);
        }
    }
    if (entries != NULL) {
        closedir(entries);
    }
}

/** The lock goes last: what is removed in part is still known to be stale. Others may do the same at this moment. */
static void remove_all(int parent, const char *name, int fd) {
    remove_files(fd, false);
    remove_files(fd, true);
    unlinkat(parent, name, AT_REMOVEDIR);
}

static struct left sweep(const char *shm_directory, const char *awaited) {
    struct left left = {.any = false};
    DIR *all = opendir(shm_directory);
    for (struct dirent *entry; all != NULL && (entry = readdir(all)) != NULL;) {
        if (is_of_a_node(entry->d_name)) {
            int fd = openat(dirfd(all), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            bool dying = false;
            if (fd >= 0 && is_stale(fd, &dying)) {
                remove_all(dirfd(all), entry->d_name, fd);
            } else if (awaited != NULL && begins_with(entry->d_name, awaited)) {
                left.any = true;
                left.dying |= dying;
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

bool trib_sweep(const char *shm_directory, const char *awaited) {
    return sweep(shm_directory, awaited).any;
}

/** Whether to go on looking after so long. */
static bool may_go(const struct left *left, const char *directory, int64_t passed_ns) {
    bool is_longest = left->dying || access(directory, F_OK) == 0;
    return left->any && passed_ns < (is_longest ? TRIB_SWEEP_OWN_NS : TRIB_SWEEP_OTHERS_NS);
}

/**
 * Connections may break before the lock on the directory goes, so this looks again for a while: longest for that of the
 * own node, and of a killed process that has not ended, whose threads have to be run, and its memory to be freed. mpirun
 * and srun end the other ranks as soon as one has ended: so it does not let itself be interrupted, and nodes on one
 * machine, whose servers may have died together, are swept by the first rank that notices.
 */
void trib_sweep_job(const char *directory) {
    const char *name = strrchr(directory, '/');
    const char *node = strrchr(directory, '-');
    char *parent = name == NULL || node < name ? NULL : strndup(directory, (size_t) (name - directory));
    char *job = parent == NULL ? NULL : strndup(name + 1, (size_t) (node - name));
    struct sigaction ignored = {.sa_handler = SIG_IGN};
    struct sigaction before;
    bool ignoring = job != NULL && sigaction(SIGTERM, NULL, &before) == 0 && before.sa_handler == SIG_DFL
        && sigaction(SIGTERM, &ignored, NULL) == 0;
    int64_t start_ns = trib_now_ns();
    struct left left = job == NULL ? (struct left) {.any = false} : sweep(parent, job);
    while (may_go(&left, directory, trib_now_ns() - start_ns)) {
        usleep(TRIB_SWEEP_PAUSE_NS / 1000);
        left = sweep(parent, job);
    }
    if (ignoring) {
        sigaction(SIGTERM, &before, NULL);
    }
    free(job);
    free(parent);
}

void trib_sweep_provider_files(void) {
    char own[24];
    snprintf(own, sizeof own, "%d:", (int) getpid());
    DIR *entries = opendir("/dev/shm");
    for (struct dirent *entry = entries == NULL ? NULL : readdir(entries); entry != NULL; entry = readdir(entries)) {
        if (begins_with(entry->d_name, own)) {
            unlinkat(dirfd(entries), entry->d_name, 0);
        }
    }
    if (entries != NULL) {
        closedir(entries);
    }
}
