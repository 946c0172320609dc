#include "bench_progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1000000000
#define FIRST_NS (3 * (int64_t) NS_PER_S)
#define NEXT_NS (10 * (int64_t) NS_PER_S)
#define NEXT_PASSING_NS ((int64_t) NS_PER_S)

void bench_progress_begin(struct bench_progress *progress, const char *what, long total, FILE *err, int64_t now_ns) {
    *progress = (struct bench_progress) {.what = what, .total = total, .err = err, .start_ns = now_ns,
        .due_ns = now_ns + FIRST_NS};
}

void bench_progress_at(struct bench_progress *progress, long done, int64_t now_ns) {
    if (now_ns < progress->due_ns || done <= 0 || done >= progress->total) {
        return;
    }
    const char *shown = getenv("TRIBUTARY_PROGRESS");
    int passes = shown != NULL && strcmp(shown, "passing") == 0;
    int64_t elapsed_ns = now_ns - progress->start_ns;
    double share = (double) done / (double) progress->total;
    fprintf(progress->err, "%s%s: %.0f %% after %" PRId64 " s, about %" PRId64 " s left\n", passes ? "\r" : "",
            progress->what, 100 * share, elapsed_ns / NS_PER_S,
            (int64_t) ((double) elapsed_ns / share - (double) elapsed_ns) / NS_PER_S);
    progress->due_ns = now_ns + (passes ? NEXT_PASSING_NS : NEXT_NS);
}
