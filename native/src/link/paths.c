#include "paths.h"

#include <stdlib.h>
#include <string.h>

bool trib_paths_init(struct trib_paths *paths, int64_t bulk_threshold, int capacity) {
    *paths = (struct trib_paths) {.bulk_threshold = bulk_threshold < 1 ? 1 : bulk_threshold, .capacity = capacity};
    paths->open = calloc((size_t) capacity + 1, sizeof *paths->open);
    return paths->open != NULL;
}

void trib_paths_free(struct trib_paths *paths) {
    free(paths->open);
    paths->open = NULL;
}

static void forget(struct trib_paths *paths, const struct trib_path *path) {
    int at = 0;
    while (paths->open[at] != path) {
        at++;
    }
    paths->count--;
    memmove(paths->open + at, paths->open + at + 1, (size_t) (paths->count - at) * sizeof *paths->open);
}

static bool has_place(const struct trib_paths *paths, int64_t now_ns) {
    const struct trib_path *unused = trib_paths_least_recently_used(paths);
    return unused == NULL || now_ns - unused->used_ns > TRIB_UNUSED_NS;
}

bool trib_paths_note_use(struct trib_paths *paths, struct trib_path *path, int64_t bytes, int64_t now_ns) {
    bool bulk = bytes >= paths->bulk_threshold;
    bool pauses = now_ns < path->refused_until_ns;
    path->uses += path->uses <= TRIB_WORTH_DIRECT ? 1 : 0;
    if (path->direct == NULL) {
        bool is_worth_it = bulk || (path->uses > TRIB_WORTH_DIRECT && has_place(paths, now_ns));
        return paths->capacity > 0 && !pauses && is_worth_it;
    }
    path->used_ns = now_ns;
    if (!pauses && paths->open[paths->count - 1] != path) {
        forget(paths, path);
        paths->open[paths->count++] = path;
    }
    return !pauses;
}

bool trib_paths_try_wait(struct trib_paths *paths, int64_t now_ns) {
    if (now_ns - paths->waited_ns < TRIB_WAIT_AGAIN_NS) {
        return false;
    }
    paths->waited_ns = now_ns;
    return true;
}

struct trib_path *trib_paths_least_recently_used(const struct trib_paths *paths) {
    return paths->count < paths->capacity ? NULL : paths->open[0];
}

void trib_paths_opened(struct trib_paths *paths, struct trib_path *path, struct trib_link *link, int64_t now_ns) {
    path->direct = link;
    path->uses = 0;
    path->refusals = 0;
    path->used_ns = now_ns;
    paths->open[paths->count++] = path;
}

void trib_paths_closed(struct trib_paths *paths, struct trib_path *path) {
    path->direct = NULL;
    path->takes_direct = false;
    path->uses = 0;
    forget(paths, path);
}

void trib_paths_refused(struct trib_path *path, int64_t now_ns) {
    path->refused_until_ns = now_ns + (TRIB_FIRST_PAUSE_NS << path->refusals);
    path->refusals += path->refusals < TRIB_MAX_DOUBLINGS ? 1 : 0;
    path->uses = 0;
}
