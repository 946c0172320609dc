#include "bench.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const paths[] = {"node", "remote"};
static const char *const states[] = {"blocked", "computing"};

static const char usage[] =
    "Usage: tributary run --nodes 2 -- tributary-bench [OPTIONS]\n"
    "Times one-sided operations of rank 0 with the C client; options and results are those of\n"
    "`tributary bench one-sided`, without its comparison with limits of the machine.\n"
    "  --ops OP,...        put+fence, get, accumulate+fence, fetchAndAdd, lock+unlock, strided-put+fence,\n"
    "                      strided-get, put-rate, aggregate-put-rate, put-bandwidth (default: all)\n"
    "  --sizes BYTES,...   of contiguous operations (default: 8,64,512,4K,32K,256K,4M)\n"
    "  --paths PATH,...    node, remote (default: those that the job has)\n"
    "  --targets STATE,... blocked, computing (default: both)\n"
    "  --iterations N      up to 8 KiB; a tenth above, a fiftieth from 1 MiB on (default: 10000)\n"
    "  --rows N, --row-bytes BYTES, --pitch BYTES\n"
    "                      of strided operations (default: 64, 512, 1K)\n"
    "  --repeat N          runs everything so often and reports the run with the median time (default: 1)\n"
    "  --json FILE         where to write the results, for tributary bench report\n";

static void fail(const char *option, const char *value) {
    fprintf(stderr, "tributary-bench: %s %s is not understood\n%s", option, value, usage);
    exit(2);
}

static size_t size_of(const char *option, const char *text, size_t least) {
    char *end;
    unsigned long long value = strtoull(text, &end, 10);
    const char *unit = strchr("KMG", *end == '\0' ? '-' : *end & ~0x20);
    if (unit != NULL && *unit != '\0') {
        value <<= *unit == 'K' ? 10 : *unit == 'M' ? 20 : 30;
        end++;
    }
    if (end == text || *end != '\0' || value < least || value % least != 0 || value > 1 << 30) {
        fail(option, text);
    }
    return (size_t) value;
}

static void choose(const char *option, const char *text, const char *const *names, int count, bool *chosen) {
    for (int i = 0; i < count; i++) {
        if (strcasecmp(text, names[i]) == 0) {
            chosen[i] = true;
            return;
        }
    }
    fail(option, text);
}

static void read_list(struct bench_options *options, const char *option, char *list) {
    char *rest = list;
    memset(strcmp(option, "ops") == 0 ? options->ops : strcmp(option, "paths") == 0 ? options->paths
           : options->states, 0, strcmp(option, "ops") == 0 ? sizeof options->ops : sizeof options->paths);
    for (char *item = strtok_r(list, ",", &rest); item != NULL; item = strtok_r(NULL, ",", &rest)) {
        if (strcmp(option, "ops") == 0) {
            choose("--ops", item, bench_op_names, BENCH_OPS, options->ops);
        } else if (strcmp(option, "paths") == 0) {
            choose("--paths", item, paths, 2, options->paths);
        } else {
            choose("--targets", item, states, 2, options->states);
        }
    }
}

static void read_sizes(struct bench_options *options, char *list) {
    char *rest = list;
    options->size_count = 0;
    for (char *item = strtok_r(list, ",", &rest); item != NULL; item = strtok_r(NULL, ",", &rest)) {
        if (options->size_count == BENCH_MAX_SIZES) {
            fail("--sizes", item);
        }
        options->sizes[options->size_count++] = size_of("--sizes", item, 8);
    }
}

static long number_of(const char *option, const char *text, long most) {
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || value < 1 || value > most) {
        fail(option, text);
    }
    return value;
}

void bench_options_read(struct bench_options *options, int count, char **arguments) {
    static const struct option known[] = {{"ops", 1, NULL, 'o'}, {"sizes", 1, NULL, 's'}, {"paths", 1, NULL, 'p'},
        {"targets", 1, NULL, 't'}, {"iterations", 1, NULL, 'i'}, {"rows", 1, NULL, 'r'}, {"row-bytes", 1, NULL, 'b'},
        {"pitch", 1, NULL, 'c'}, {"repeat", 1, NULL, 'n'}, {"json", 1, NULL, 'j'}, {"help", 0, NULL, 'h'},
        {NULL, 0, NULL, 0}};
    *options = (struct bench_options) {.ops = {true, true, true, true, true, true, true, true, true, true},
        .paths = {true, true}, .states = {true, true}, .sizes = {8, 64, 512, 4 << 10, 32 << 10, 256 << 10, 4 << 20},
        .size_count = 7, .iterations = 10000, .rows = 64, .row_bytes = 512, .pitch = 1024, .repeat = 1,
        .arguments = arguments, .argument_count = count};
    int which;
    int index = 0;
    while ((which = getopt_long(count, arguments, "", known, &index)) != -1) {
        switch (which) {
            case 'o': case 'p': case 't': read_list(options, known[index].name, optarg); break;
            case 's': read_sizes(options, optarg); break;
            case 'i': options->iterations = number_of("--iterations", optarg, 1000000); break;
            case 'r': options->rows = (size_t) number_of("--rows", optarg, 1 << 20); break;
            case 'b': options->row_bytes = size_of("--row-bytes", optarg, 1); break;
            case 'c': options->pitch = size_of("--pitch", optarg, 1); break;
            case 'n': options->repeat = number_of("--repeat", optarg, 1000); break;
            case 'j': options->json = optarg; break;
            case 'h': fputs(usage, stdout); exit(0);
            default: fputs(usage, stderr); exit(2);
        }
    }
    if (optind < count || options->pitch < options->row_bytes || options->rows > ((size_t) 1 << 30) / options->pitch) {
        fail("--rows, --row-bytes, --pitch or", optind < count ? arguments[optind] : "their combination");
    }
}
