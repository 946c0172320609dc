/* tributary-bench: the rows of `tributary bench one-sided`, measured with the C client. */
#include "bench.h"

#include "bench_progress.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define MIN_BYTES ((size_t) 4 << 20)
#define STOP_OFFSET 0
#define COMPUTE_LIMIT_S 90
#define COMPUTE_STEPS 400000
#define ORIGIN 0
#define MAX_CASES 512

static const char *const path_names[] = {"node", "remote"};
static const char *const state_names[] = {"blocked", "computing"};

struct bench_case {
    enum bench_op op;
    int path;
    int state;
    int target;
    size_t bytes;
};

struct plan {
    struct bench_case cases[MAX_CASES];
    int count;
};

static void add(struct plan *plan, struct bench_case wanted) {
    for (int i = 0; i < plan->count; i++) {
        const struct bench_case *known = &plan->cases[i];
        if (known->op == wanted.op && known->path == wanted.path && known->state == wanted.state
            && known->bytes == wanted.bytes) {
            return;
        }
    }
    if (plan->count == MAX_CASES) {
        fprintf(stderr, "tributary-bench: more than %d cases\n", MAX_CASES);
        exit(2);
    }
    plan->cases[plan->count++] = wanted;
}

static void add_op(struct plan *plan, const struct bench_options *options, struct bench_case wanted) {
    switch (wanted.op) {
        case FETCH_AND_ADD:
        case PUT_RATE:
        case AGGREGATE_PUT_RATE:
            wanted.bytes = 8;
            add(plan, wanted);
            break;
        case LOCK_UNLOCK:
            add(plan, wanted);
            break;
        case STRIDED_PUT_FENCE:
        case STRIDED_GET: {
            struct bench_case contiguous = wanted;
            contiguous.op = wanted.op == STRIDED_GET ? GET : PUT_FENCE;
            contiguous.bytes = wanted.bytes = options->rows * options->row_bytes;
            add(plan, contiguous);
            add(plan, wanted);
            break;
        }
        default:
            for (int i = 0; i < options->size_count; i++) {
                wanted.bytes = options->sizes[i];
                add(plan, wanted);
            }
            break;
    }
}

static void make_plan(struct plan *plan, const struct bench_options *options, const trib *job) {
    int own = trib_node_of(job, ORIGIN);
    int targets[] = {trib_node_size(job, own) > 1 ? trib_rank_at(job, own, 1) : ORIGIN,
        trib_first_rank(job, own == 0 ? 1 : 0)};
    plan->count = 0;
    for (int path = 0; path < 2; path++) {
        for (int state = 0; state < 2; state++) {
            /* A rank cannot compute and operate on itself at the same time. */
            bool possible = targets[path] >= 0 && (state == 0 || targets[path] != ORIGIN);
            for (int op = 0; op < BENCH_OPS; op++) {
                if (possible && options->paths[path] && options->states[state] && options->ops[op]) {
                    add_op(plan, options, (struct bench_case) {.op = (enum bench_op) op, .path = path,
                        .state = state, .target = targets[path]});
                }
            }
        }
    }
}

/** Never calls the library, and looks about once a millisecond whether the phase is over. */
static void compute_until(const int64_t *stop, int64_t phase) {
    volatile double result = 1;
    time_t begin = time(NULL);
    while (__atomic_load_n(stop, __ATOMIC_ACQUIRE) < phase) {
        double x = result;
        for (int i = 0; i < COMPUTE_STEPS; i++) {
            x = x * 0.999999 + 1e-6;
        }
        result = x;
        if (time(NULL) - begin > COMPUTE_LIMIT_S) {
            fprintf(stderr, "tributary-bench: rank 0 did not end phase %lld in time\n", (long long) phase);
            exit(1);
        }
    }
}

static double ops_per_second(const struct bench_case *of, const struct bench_sample *sample) {
    return (bench_is_window(of->op) ? BENCH_WINDOW : 1) * (double) sample->iterations * 1e9
        / (double) sample->total_ns;
}

static double mb_per_second(const struct bench_case *of, const struct bench_sample *sample) {
    return bench_is_window(of->op) ? ops_per_second(of, sample) * (double) of->bytes / 1e6
        : (double) of->bytes * 1e3 / (double) sample->median_ns;
}

/** The figure by which repeated measurements of one case are compared: the lower, the better. */
static double cost(const struct bench_case *of, const struct bench_sample *sample) {
    return bench_is_window(of->op) ? 1 / ops_per_second(of, sample) : (double) sample->median_ns;
}

static void print_heading(void) {
    printf("%-19s %-7s %-10s %8s %8s %11s %11s %11s %10s %12s\n", "operation", "path", "target", "bytes", "times",
           "median us", "p99 us", "max us", "MB/s", "ops/s");
}

static void print_row(const struct bench_case *of, const struct bench_sample *sample) {
    printf("%-19s %-7s %-10s %8zu %8ld %11.2f %11.2f %11.1f %10.1f %12.0f\n", bench_op_names[of->op],
           path_names[of->path], state_names[of->state], of->bytes, sample->iterations,
           (double) sample->median_ns / 1e3, (double) sample->p99_ns / 1e3, (double) sample->max_ns / 1e3,
           mb_per_second(of, sample), ops_per_second(of, sample));
    fflush(stdout);
}

/** The words of the command line, as JSON has them within a string. */
static void write_command(FILE *file, const struct bench_options *options) {
    for (int i = 0; i < options->argument_count; i++) {
        fputs(i == 0 ? "" : " ", file);
        for (const char *c = options->arguments[i]; *c != '\0'; c++) {
            fprintf(file, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
        }
    }
}

static void write_head(FILE *file, const struct bench_options *options) {
    const char *slash = strrchr(options->json, '/');
    const char *name = slash == NULL ? options->json : slash + 1;
    const char *suffix = strstr(name, ".json");
    char today[32];
    time_t seconds = time(NULL);
    struct tm utc;
    struct utsname system;
    uname(&system);
    strftime(today, sizeof today, "%Y-%m-%d", gmtime_r(&seconds, &utc));
    fprintf(file, "{\n  \"name\": \"%.*s\",\n  \"kind\": \"benchmark\",\n"
            "  \"title\": \"One sided, C client\",\n"
            "  \"shows\": \"The operations of 'tributary bench one-sided' by the C client, without limits.\",\n"
            "  \"commit\": \"version %s\",\n  \"date\": \"%s\",\n  \"machine\": \"%ld processors, %s %s\",\n"
            "  \"command\": \"",
            suffix == NULL ? (int) strlen(name) : (int) (suffix - name), name, trib_version(), today,
            sysconf(_SC_NPROCESSORS_ONLN), system.sysname, system.release);
    write_command(file, options);
}

/** A file of results as `tributary bench one-sided` writes it; limits are left to that. */
static void write_json(const struct bench_options *options, const struct plan *plan,
                       const struct bench_sample *samples) {
    FILE *file = fopen(options->json, "we");
    if (file == NULL) {
        perror(options->json);
        exit(1);
    }
    write_head(file, options);
    fputs("\",\n  \"tables\": [{\"title\": \"Operations\", \"columns\": [{\"name\": \"operation\"},\n"
          "    {\"name\": \"path\"}, {\"name\": \"target\"}, {\"name\": \"size\", \"unit\": \"bytes\"},\n"
          "    {\"name\": \"timed\", \"unit\": \"iterations\"}, {\"name\": \"median\", \"unit\": \"us\"},\n"
          "    {\"name\": \"mean\", \"unit\": \"us\"}, {\"name\": \"p99\", \"unit\": \"us\"},\n"
          "    {\"name\": \"longest\", \"unit\": \"us\"}, {\"name\": \"bandwidth\", \"unit\": \"MB/s\"},\n"
          "    {\"name\": \"rate\", \"unit\": \"operations/s\"}],\n"
          "    \"rows\": [\n", file);
    for (int i = 0; i < plan->count; i++) {
        const struct bench_case *of = &plan->cases[i];
        const struct bench_sample *sample = &samples[i];
        fprintf(file, "      [\"%s\", \"%s\", \"%s\", %zu, %ld, %.3f, %.3f, %.3f, %.3f, %.3f, %.0f]%s\n",
                bench_op_names[of->op], path_names[of->path], state_names[of->state], of->bytes, sample->iterations,
                (double) sample->median_ns / 1e3, (double) sample->total_ns / 1e3 / (double) sample->iterations,
                (double) sample->p99_ns / 1e3, (double) sample->max_ns / 1e3, mb_per_second(of, sample),
                ops_per_second(of, sample), i + 1 < plan->count ? "," : "");
    }
    fputs("    ]}]\n}\n", file);
    if (fclose(file) != 0) {
        perror(options->json);
        exit(1);
    }
    printf("Results are in %s\n", options->json);
}

/** The repetition with the median cost; of two in the middle, the slower. */
static struct bench_sample median_of(const struct plan *plan, const struct bench_sample *all, int which, long repeat) {
    long chosen = 0;
    for (long i = 0; i < repeat; i++) {
        double own = cost(&plan->cases[which], &all[i * plan->count + which]);
        long below = 0;
        long equal_before = 0;
        for (long j = 0; j < repeat; j++) {
            double other = cost(&plan->cases[which], &all[j * plan->count + which]);
            below += other < own ? 1 : 0;
            equal_before += other == own && j < i ? 1 : 0;
        }
        if (below + equal_before == repeat / 2) {
            chosen = i;
        }
    }
    return all[chosen * plan->count + which];
}

/** In step on all ranks: a barrier ends every phase, and those without a part in it block there. */
static void run(struct bench_endpoint *at, trib_memory *control, const struct plan *plan, struct bench_sample *all) {
    int64_t phase = 0;
    struct bench_progress progress;
    bench_progress_begin(&progress, "tributary-bench", at->options->repeat * plan->count, stderr, bench_now_ns());
    for (long repetition = 0; repetition < at->options->repeat; repetition++) {
        for (int i = 0; i < plan->count; i++) {
            const struct bench_case *next = &plan->cases[i];
            struct bench_sample *sample = &all[repetition * plan->count + i];
            phase++;
            if (trib_rank(at->job) == ORIGIN) {
                at->target = next->target;
                *sample = bench_measure(at, next->op, next->bytes, i);
                bench_check(trib_put_i64(control, next->target, STOP_OFFSET, phase));
                bench_check(trib_fence(at->job, next->target));
                print_row(next, sample);
                bench_progress_at(&progress, phase, bench_now_ns());
            } else if (trib_rank(at->job) == next->target && next->state == 1) {
                compute_until(trib_memory_local(control), phase);
            }
            bench_check(trib_barrier(at->job));
        }
    }
}

static void report(const struct bench_endpoint *at, const struct plan *plan, struct bench_sample *all) {
    long repeat = at->options->repeat;
    for (int i = 0; i < plan->count && repeat > 1; i++) {
        struct bench_sample median = median_of(plan, all, i, repeat);
        if (i == 0) {
            printf("\nMedian of %ld repetitions\n", repeat);
            print_heading();
        }
        print_row(&plan->cases[i], &median);
    }
    for (int i = 0; i < plan->count; i++) {
        all[i] = median_of(plan, all, i, repeat);
    }
    if (at->options->json != NULL) {
        write_json(at->options, plan, all);
    }
}

static size_t bytes_at_target(const struct bench_options *options) {
    size_t bytes = MIN_BYTES;
    for (int i = 0; i < options->size_count; i++) {
        bytes = options->sizes[i] > bytes ? options->sizes[i] : bytes;
    }
    return options->rows * options->pitch > bytes ? options->rows * options->pitch : bytes;
}

int main(int count, char **arguments) {
    static struct plan plan;
    struct bench_options options;
    trib *job;
    trib_memory *control;
    bench_options_read(&options, count, arguments);
    bench_check(trib_attach(&job));
    make_plan(&plan, &options, job);
    struct bench_endpoint at = {.job = job, .options = &options, .bytes = bytes_at_target(&options)};
    bool origin = trib_rank(job) == ORIGIN;
    bool takes_part = origin;
    for (int i = 0; i < plan.count; i++) {
        takes_part |= plan.cases[i].target == trib_rank(job);
    }
    bench_check(trib_allocate(trib_world(job), 64, &control));
    bench_check(trib_allocate(trib_world(job), takes_part ? at.bytes : 0, &at.memory));
    bench_check(trib_mutexes_create(trib_world(job), takes_part ? 1 : 0, &at.mutexes));
    struct bench_sample *all = calloc((size_t) plan.count * (size_t) options.repeat + 1, sizeof *all);
    if (all == NULL || posix_memalign((void **) &at.source, 64, at.bytes) != 0
        || posix_memalign((void **) &at.sink, 64, at.bytes) != 0) {
        fprintf(stderr, "tributary-bench: no memory for %zu bytes\n", at.bytes);
        return 1;
    }
    if (origin) {
        print_heading();
    }
    run(&at, control, &plan, all);
    if (origin) {
        report(&at, &plan, all);
    }
    free(all);
    free(at.source);
    free(at.sink);
    bench_check(trib_detach(job));
    return 0;
}
