/* Servers that a test stops for a while. */
#ifndef ARMCI_TEST_STOPPING_H
#define ARMCI_TEST_STOPPING_H

#include "check.h"

#include <dirent.h>
#include <signal.h>

/** Process number of the server of a node of this very job. */
static inline int server_of(int node) {
    char own[64];
    char text[65536];
    const char *shm = getenv("TRIBUTARY_SHM_DIRECTORY");
    snprintf(own, sizeof own, "TRIBUTARY_NODE=%d", node);
    DIR *all = opendir("/proc");
    int found = 0;
    for (struct dirent *entry; found == 0 && (entry = readdir(all)) != NULL;) {
        char path[300];
        snprintf(path, sizeof path, "/proc/%s/environ", entry->d_name);
        FILE *file = atoi(entry->d_name) > 0 ? fopen(path, "r") : NULL;
        size_t used = file == NULL ? 0 : fread(text, 1, sizeof text - 1, file);
        text[used] = '\0';
        bool is_node = false;
        bool is_job = false;
        for (char *at = text; at < text + used; at += strlen(at) + 1) {
            is_node |= strcmp(at, own) == 0;
            is_job |= strncmp(at, "TRIBUTARY_SHM_DIRECTORY=", 24) == 0 && strcmp(at + 24, shm) == 0;
        }
        if (file != NULL) {
            fclose(file);
        }
        snprintf(path, sizeof path, "/proc/%s/comm", entry->d_name);
        file = is_node && is_job ? fopen(path, "r") : NULL;
        if (file != NULL && fgets(text, sizeof text, file) != NULL && strcmp(text, "java\n") == 0) {
            found = atoi(entry->d_name);
        }
        if (file != NULL) {
            fclose(file);
        }
    }
    closedir(all);
    return found;
}

/** Stops a process; each of its threads stops a little later, when it next looks for signals. */
static inline void stop(int process) {
    CHECK(process > 0 && kill(process, SIGSTOP) == 0);
    char path[300];
    snprintf(path, sizeof path, "/proc/%d/task", process);
    for (bool running = true; running;) {
        DIR *threads = opendir(path);
        CHECK(threads != NULL);
        running = false;
        for (struct dirent *entry; (entry = readdir(threads)) != NULL;) {
            char text[300];
            char state = 'T';
            snprintf(text, sizeof text, "/proc/%d/task/%s/stat", process, entry->d_name);
            FILE *file = entry->d_name[0] == '.' ? NULL : fopen(text, "r");
            if (file != NULL) {
                size_t used = fread(text, 1, sizeof text - 1, file);
                text[used] = '\0';
                char *name_end = strrchr(text, ')');
                state = name_end == NULL ? 'T' : name_end[2];
                fclose(file);
            }
            running |= state != 'T';
        }
        closedir(threads);
    }
}

#endif
