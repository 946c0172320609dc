#include "paths.h"

#include <stdlib.h>
#include <string.h>

#define MAX_DOUBLINGS 4

bool trib_paths_init(struct trib_paths *paths, int64_t bulk_threshold, int capacity) {
    *paths = (struct trib_paths) {.bulk_threshold = bulk_threshold < 1 ? 1 : bulk_threshold, .capacity = capacity};
    paths->open = calloc((size_t) capacity + 1, sizeof *paths->open);
    return paths->open != NULL;
}

void trib_paths_free(struct trib_paths *paths) {
    free(paths->open);
    paths->open = NULL;
}

static void forget(struct trib_paths *paths, const struct trib_way *way) {
    int at = 0;
    while (paths->open[at] != way) {
        at++;
    }
    paths->count--;
    memmove(paths->open + at, paths->open + at + 1, (size_t) (paths->count - at) * sizeof *paths->open);
}

static bool has_place(const struct trib_paths *paths, int64_t now_ns) {
    const struct trib_way *unused = trib_paths_unused(paths);
    return unused == NULL || now_ns - unused->used_ns > TRIB_UNUSED_NS;
}

bool trib_paths_wants(struct trib_paths *paths, struct trib_way *way, int64_t bytes, int64_t now_ns) {
    bool bulk = bytes >= paths->bulk_threshold;
    bool pauses = now_ns < way->refused_until_ns;
    way->uses += way->uses <= TRIB_WORTH_STRAIGHT ? 1 : 0;
    if (way->straight == NULL) {
        bool is_worth_it = bulk || (way->uses > TRIB_WORTH_STRAIGHT && has_place(paths, now_ns));
        return paths->capacity > 0 && !pauses && is_worth_it;
    }
    way->used_ns = now_ns;
    if (!pauses && paths->open[paths->count - 1] != way) {
        forget(paths, way);
        paths->open[paths->count++] = way;
    }
    return !pauses;
}

bool trib_paths_may_wait(struct trib_paths *paths, int64_t now_ns) {
    if (now_ns - paths->waited_ns < TRIB_WAIT_AGAIN_NS) {
        return false;
    }
    paths->waited_ns = now_ns;
    return true;
}

struct trib_way *trib_paths_unused(const struct trib_paths *paths) {
    return paths->count < paths->capacity ? NULL : paths->open[0];
}

void trib_paths_opened(struct trib_paths *paths, struct trib_way *way, struct trib_link *link, int64_t now_ns) {
    way->straight = link;
    way->uses = 0;
    way->refusals = 0;
    way->used_ns = now_ns;
    paths->open[paths->count++] = way;
}

void trib_paths_closed(struct trib_paths *paths, struct trib_way *way) {
    way->straight = NULL;
    way->takes_straight = false;
    way->uses = 0;
    forget(paths, way);
}

void trib_paths_refused(struct trib_way *way, int64_t now_ns) {
    way->refused_until_ns = now_ns + (TRIB_FIRST_PAUSE_NS << way->refusals);
    way->refusals += way->refusals < MAX_DOUBLINGS ? 1 : 0;
    way->uses = 0;
}
