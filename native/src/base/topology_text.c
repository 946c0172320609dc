/* The text of a layout, as org.tributary.config.LayoutText reads it. */
#include "base.h"

#include <ctype.h>

#define FORMS                                                                                                      \
    "[nodes*]ranks,..., cyclic:[nodes*]ranks,..., cyclic(n):[nodes*]ranks,... or map:[ranks*]node,..."

/** A part of the text, without the spaces around it. */
struct span {
    const char *begin;
    const char *end;
};

static struct span stripped(const char *begin, const char *end) {
    while (begin < end && isspace((unsigned char) *begin)) {
        begin++;
    }
    while (begin < end && isspace((unsigned char) end[-1])) {
        end--;
    }
    return (struct span) {begin, end};
}

static const char *find(struct span span, char wanted) {
    const char *found = memchr(span.begin, wanted, (size_t) (span.end - span.begin));
    return found == NULL ? span.end : found;
}

static int read_number(const char *begin, const char *end, int *value) {
    struct span digits = stripped(begin, end);
    const char *at = digits.begin;
    int64_t parsed = 0;
    bool negative = at < digits.end && *at == '-';
    at += at < digits.end && (*at == '-' || *at == '+');
    bool good = at < digits.end;
    for (; good && at < digits.end; at++) {
        good = isdigit((unsigned char) *at) && (parsed = 10 * parsed + *at - '0') <= INT_MAX;
    }
    if (!good) {
        return trib_fail(TRIB_ATTACH_FAILED, "'%.*s' is not a number, where the layout is to be " FORMS,
                         (int) (digits.end - digits.begin > 200 ? 200 : digits.end - digits.begin), digits.begin);
    }
    *value = (int) (negative ? -parsed : parsed);
    return TRIB_OK;
}

/** [first*]second; the first is 1 without a star. */
static int read_pair(struct span item, int *first, int *second) {
    const char *star = find(item, '*');
    *first = 1;
    if (star == item.end) {
        return read_number(item.begin, item.end, second);
    }
    TRIB_TRY(read_number(item.begin, star, first));
    return read_number(star + 1, item.end, second);
}

/** The last parenthesis of an item ranks(xNODES), as Slurm writes it into SLURM_TASKS_PER_NODE, or NULL. */
static const char *repetition(struct span item) {
    if (item.begin == item.end || item.end[-1] != ')') {
        return NULL;
    }
    const char *at = item.end;
    while (at > item.begin && *at != '(') {
        at--;
    }
    return *at == '(' && *stripped(at + 1, item.end).begin == 'x' ? at : NULL;
}

static int add_nodes(struct trib_topology *topology, struct span item) {
    int nodes;
    int ranks;
    const char *repeated = repetition(item);
    if (repeated == NULL) {
        TRIB_TRY(read_pair(item, &nodes, &ranks));
    } else {
        TRIB_TRY(read_number(strchr(repeated, 'x') + 1, item.end - 1, &nodes));
        TRIB_TRY(read_number(item.begin, repeated, &ranks));
    }
    return trib_topology_add_nodes(topology, nodes, ranks);
}

static int add_piece(struct trib_topology *topology, struct span item) {
    int ranks;
    int node;
    TRIB_TRY(read_pair(item, &ranks, &node));
    return trib_topology_add_piece(topology, ranks, node);
}

static int read_items(struct trib_topology *topology, const char *text,
                      int (*add)(struct trib_topology *topology, struct span item)) {
    while (true) {
        const char *end = text + strcspn(text, ",");
        TRIB_TRY(add(topology, stripped(text, end)));
        if (*end == '\0') {
            return TRIB_OK;
        }
        text = end + 1;
    }
}

static bool is_word(struct span span, const char *word) {
    size_t length = (size_t) (span.end - span.begin);
    return length == strlen(word) && memcmp(span.begin, word, length) == 0;
}

/** cyclic, or cyclic(n); TRIB_OK with 0 for another form. */
static int read_chunk(struct span form, int *chunk) {
    const char *open = find(form, '(');
    bool is_cyclic = is_word(stripped(form.begin, open), "cyclic");
    *chunk = is_cyclic ? 1 : 0;
    if (!is_cyclic || open == form.end) {
        return TRIB_OK;
    }
    const char *close = find(form, ')');
    if (close + 1 != form.end) {
        *chunk = 0;
        return TRIB_OK;
    }
    TRIB_TRY(read_number(open + 1, close, chunk));
    return *chunk > 0 ? TRIB_OK
        : trib_fail(TRIB_ATTACH_FAILED, "a node takes at least one rank at a time, not %d", *chunk);
}

static int parse(struct trib_topology *topology, const char *text) {
    const char *colon = strchr(text, ':');
    const char *items = colon == NULL ? text : colon + 1;
    struct span form = stripped(text, colon == NULL ? text : colon);
    size_t count = 1;
    for (const char *at = items; *at != '\0'; at++) {
        count += *at == ',';
    }
    if (is_word(form, "map")) {
        TRIB_TRY(trib_topology_begin_pieces(topology, count));
        TRIB_TRY(read_items(topology, items, add_piece));
        return trib_topology_list(topology);
    }
    int chunk = INT_MAX;
    if (colon != NULL) {
        TRIB_TRY(read_chunk(form, &chunk));
        if (chunk == 0) {
            return trib_fail(TRIB_ATTACH_FAILED, "it begins with '%.*s:', where it is to be " FORMS,
                             (int) (form.end - form.begin > 200 ? 200 : form.end - form.begin), form.begin);
        }
    }
    TRIB_TRY(trib_topology_begin(topology, count));
    TRIB_TRY(read_items(topology, items, add_nodes));
    return trib_topology_deal(topology, chunk);
}

int trib_topology_parse(struct trib_topology *topology, const char *text) {
    *topology = (struct trib_topology) {0};
    return parse(topology, text) == TRIB_OK ? TRIB_OK
        : trib_fail_prefix("layout '%.200s%s': ", text, strlen(text) > 200 ? "..." : "");
}

/* ---- writing ---- */

static void write_item(bool is_first, int count, int value, void (*take)(void *context, const char *text, size_t bytes),
                       void *context) {
    char item[40];
    const char *comma = is_first ? "" : ",";
    int length = count == 1 ? snprintf(item, sizeof item, "%s%d", comma, value)
        : snprintf(item, sizeof item, "%s%d*%d", comma, count, value);
    take(context, item, (size_t) length);
}

void trib_topology_write(const struct trib_topology *topology,
                         void (*take)(void *context, const char *text, size_t bytes), void *context) {
    const struct trib_counts *counts = &topology->counts;
    const struct trib_pieces *pieces = &topology->pieces;
    if (topology->chunk == 0) {
        take(context, "map:", strlen("map:"));
        for (int i = 0; i < pieces->count; i++) {
            int end = i + 1 < pieces->count ? pieces->first_rank[i + 1] : topology->rank_count;
            write_item(i == 0, end - pieces->first_rank[i], pieces->node[i], take, context);
        }
        return;
    }
    if (topology->chunk < INT_MAX) {
        char form[40];
        int length = topology->chunk == 1 ? snprintf(form, sizeof form, "cyclic:")
            : snprintf(form, sizeof form, "cyclic(%d):", topology->chunk);
        take(context, form, (size_t) length);
    }
    for (int run = 0; run < counts->runs; run++) {
        int end = run + 1 < counts->runs ? counts->first_node[run + 1] : topology->node_count;
        write_item(run == 0, end - counts->first_node[run], counts->per_node[run], take, context);
    }
}
