/* How far tributary-bench is, as benchmarks in Java say it. */
#ifndef TRIB_BENCH_PROGRESS_H
#define TRIB_BENCH_PROGRESS_H

#include <stdint.h>
#include <stdio.h>

struct bench_progress {
    const char *what;
    long total; /* steps */
    FILE *err;
    int64_t start_ns;
    int64_t due_ns;
};

/** Of so many steps, which begin now. */
void bench_progress_begin(struct bench_progress *progress, const char *what, long total, FILE *err, int64_t now_ns);
/**
 * So many steps are done. Says so, and how much longer it takes, after 3 s, then every 10 s, or each second by a line
 * that passes where the launcher shows such lines (TRIBUTARY_PROGRESS).
 */
void bench_progress_at(struct bench_progress *progress, long done, int64_t now_ns);

#endif
