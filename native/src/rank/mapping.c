#include "mapping.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MESSAGE_BYTES 1024 /* an alternate signal stack may have no more than a few KiB; a longer path is cut */

/**
 * A mapping. Never freed, but used again: the handler may go through the list at any moment, on any thread. It reads
 * start first and last, with acquire; a thread that fills a place stores start last, with release, and clears it first.
 */
struct mapping {
    uintptr_t start; /* 0 while the place is free */
    size_t bytes;
    int rank;
    struct mapping *next;
    char path[PATH_MAX];
};

/* Signals belong to the process, and so does this, whatever jobs it is part of. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mapping *mappings;
static int count;
static bool installed;
static struct sigaction before;

/* ---- in the handler: nothing but what signal-safety(7) lists ---- */

struct message {
    char text[MESSAGE_BYTES];
    size_t length;
};

static void say(struct message *message, const char *text) {
    while (*text != '\0' && message->length < sizeof message->text) {
        message->text[message->length++] = *text++;
    }
}

static void say_number(struct message *message, uint64_t number) {
    char digits[24];
    char *at = digits + sizeof digits - 1;
    *at = '\0';
    do {
        *--at = (char) ('0' + number % 10);
        number /= 10;
    } while (number != 0);
    say(message, at);
}

static bool holds(const struct mapping *mapping, uintptr_t address, uintptr_t *offset) {
    uintptr_t start = __atomic_load_n(&mapping->start, __ATOMIC_ACQUIRE);
    size_t bytes = __atomic_load_n(&mapping->bytes, __ATOMIC_RELAXED);
    *offset = address - start;
    return start != 0 && address >= start && address - start < bytes;
}

static void explain(const struct mapping *mapping, uintptr_t offset) {
    struct message message;
    struct stat status;
    message.length = 0;
    bool known = stat(mapping->path, &status) == 0;
    say(&message, "tributary: rank ");
    say_number(&message, (uint64_t) mapping->rank);
    say(&message, " cannot go on: there is no memory at byte ");
    say_number(&message, offset);
    say(&message, " of ");
    say(&message, mapping->path);
    if (known && (uint64_t) status.st_size < mapping->bytes) {
        say(&message, ", which was truncated while the job uses it: it has ");
        say_number(&message, (uint64_t) status.st_size);
        say(&message, " bytes, not ");
        say_number(&message, mapping->bytes);
        say(&message, "; keep other programs away from its directory and run the job again\n");
    } else {
        say(&message, " (SIGBUS): its mount may be full, or the machine's memory defective\n");
    }
    message.text[message.length - 1] = '\n';
    for (size_t done = 0; done < message.length;) {
        ssize_t written = write(STDERR_FILENO, message.text + done, message.length - done);
        if (written < 0 && errno != EINTR) {
            return;
        }
        done += written < 0 ? 0 : (size_t) written;
    }
}

/** Lets happen what would have happened without this handler. */
static void pass_on(int signal, siginfo_t *info, void *context) {
    if ((before.sa_flags & SA_RESETHAND) != 0) {
        struct sigaction standard = {.sa_handler = SIG_DFL};
        sigaction(signal, &standard, NULL);
    }
    if ((before.sa_flags & SA_SIGINFO) != 0) {
        before.sa_sigaction(signal, info, context);
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
        before.sa_handler(signal);
    } else if (before.sa_handler == SIG_DFL || info->si_code > 0) { /* a fault cannot be ignored */
        struct sigaction standard = {.sa_handler = SIG_DFL};
        sigaction(signal, &standard, NULL);
        raise(signal); /* delivered when this handler returns */
    }
}

static void on_fault(int signal, siginfo_t *info, void *context) {
    int error = errno;
    uintptr_t offset;
    if (info->si_code > 0) { /* from the kernel: the address is that of a fault */
        const struct mapping *mapping = __atomic_load_n(&mappings, __ATOMIC_ACQUIRE);
        while (mapping != NULL && !holds(mapping, (uintptr_t) info->si_addr, &offset)) {
            mapping = mapping->next;
        }
        if (mapping != NULL) {
            explain(mapping, offset);
        }
    }
    pass_on(signal, info, context);
    errno = error;
}

/* ---- outside of it ---- */

/** The dynamic linker looks for a function at its first call, with more stack than the handler may have. */
static void find_what_the_handler_calls(void) {
    struct stat status;
    bool found = stat("/", &status) == 0 && raise(0) == 0 && write(-1, "", 0) == 0;
    (void) found;
}

/** Takes as much after the one that was there before as it allows: its mask, its stack, its way with system calls. */
static void install(void) {
    struct sigaction action = {.sa_sigaction = on_fault};
    find_what_the_handler_calls();
    if (sigaction(SIGBUS, NULL, &before) != 0) {
        return;
    }
    action.sa_mask = before.sa_mask;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | (before.sa_flags & (SA_RESTART | SA_NODEFER));
    installed = sigaction(SIGBUS, &action, NULL) == 0;
}

/** A handler that the program has installed since stays, and so does this one, to which it may pass on. */
static void uninstall(void) {
    struct sigaction now;
    if (sigaction(SIGBUS, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_fault) {
        sigaction(SIGBUS, &before, NULL);
        installed = false;
    }
}

static struct mapping *free_place(void) {
    struct mapping *place = mappings;
    while (place != NULL && place->start != 0) {
        place = place->next;
    }
    if (place == NULL) {
        place = calloc(1, sizeof *place);
        if (place != NULL) {
            place->next = mappings;
            __atomic_store_n(&mappings, place, __ATOMIC_RELEASE); /* partner: the acquire load in on_fault */
        }
    }
    return place;
}

bool trib_mapping_add(const void *start, size_t bytes, const char *path, int rank) {
    pthread_mutex_lock(&lock);
    struct mapping *place = free_place();
    if (place != NULL) {
        place->rank = rank;
        snprintf(place->path, sizeof place->path, "%s", path);
        __atomic_store_n(&place->bytes, bytes, __ATOMIC_RELAXED);
        __atomic_store_n(&place->start, (uintptr_t) start, __ATOMIC_RELEASE); /* partner: the acquire load in holds */
        count++;
        if (!installed) {
            install();
        }
    }
    pthread_mutex_unlock(&lock);
    return place != NULL;
}

void trib_mapping_remove(const void *start) {
    pthread_mutex_lock(&lock);
    struct mapping *place = mappings;
    while (place != NULL && place->start != (uintptr_t) start) {
        place = place->next;
    }
    if (place != NULL) {
        __atomic_store_n(&place->start, 0, __ATOMIC_RELEASE);
        if (--count == 0) {
            uninstall();
        }
    }
    pthread_mutex_unlock(&lock);
}

bool trib_mapping_problem(const char *directory, char *text, size_t bytes) {
    bool found = false;
    size_t length = strlen(directory);
    struct stat status;
    pthread_mutex_lock(&lock);
    for (const struct mapping *mapping = mappings; mapping != NULL && !found; mapping = mapping->next) {
        found = mapping->start != 0 && strncmp(mapping->path, directory, length) == 0 && mapping->path[length] == '/'
            && stat(mapping->path, &status) == 0
            && (uint64_t) status.st_size < mapping->bytes;
        if (found) {
            snprintf(text, bytes, "%s was truncated while the job uses it: it has %lld bytes, not %zu; keep other"
                     " programs away from its directory and run the job again", mapping->path,
                     (long long) status.st_size, mapping->bytes);
        }
    }
    pthread_mutex_unlock(&lock);
    return found;
}
