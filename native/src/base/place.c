/* Environment of a rank: its job and its place there; see org.tributary.config.JobEnvironment. */
#include "base.h"

#include <ctype.h>
#include <sys/stat.h>

static const char *const rank_variables[] = {TRIB_RANK_VARIABLES};

/** Without blanks in front; NULL when there is nothing else. Who takes it over takes those behind it away. */
static const char *text_of(const char *variable) {
    const char *text = getenv(variable);
    return text == NULL || trib_strip(&text) == 0 ? NULL : text;
}

/** Without blanks around it; NULL when memory is short. */
static char *stripped_copy(const char *text) {
    size_t length = trib_strip(&text);
    return strndup(text, length);
}

/** No message of this ever contains any part of a secret. */
static int parse_secret(struct trib_place *place, const char *hex) {
    size_t digits = trib_strip(&hex);
    place->secret = malloc(digits / 2 + 1);
    if (place->secret == NULL) {
        return trib_fail(TRIB_NO_MEMORY, "no memory for a secret of %zu bytes", digits / 2);
    }
    for (size_t i = 0; i < digits; i++) {
        const char *digit = strchr("0123456789abcdef", tolower((unsigned char) hex[i]));
        if (digits % 2 != 0 || digit == NULL || *digit == '\0') {
            return trib_fail(TRIB_ATTACH_FAILED, "the secret is not hexadecimal");
        }
        uint8_t value = (uint8_t) (strchr("0123456789abcdef", *digit) - "0123456789abcdef");
        place->secret[i / 2] = (uint8_t) (i % 2 == 0 ? value << 4 : place->secret[i / 2] | value);
    }
    place->secret_bytes = digits / 2;
    return TRIB_OK;
}

static int read_secret_at(struct trib_place *place, const char *path) {
    char hex[4096];
    struct stat status;
    FILE *file = fopen(path, "re");
    if (file == NULL || fstat(fileno(file), &status) != 0) {
        int error = errno;
        if (file != NULL) {
            fclose(file);
        }
        return trib_fail(TRIB_ATTACH_FAILED, "TRIBUTARY_SECRET_FILE: cannot read the secret in %s: %s", path,
                         strerror(error));
    }
    bool is_own = (status.st_mode & (S_IRWXG | S_IRWXO | S_IXUSR)) == 0;
    size_t length = is_own ? fread(hex, 1, sizeof hex - 1, file) : 0;
    fclose(file);
    if (!is_own) {
        return trib_fail(TRIB_ATTACH_FAILED, "TRIBUTARY_SECRET_FILE: %s has the permissions %o; a secret must be"
                         " readable by its owner alone: chmod 600 %s", path, status.st_mode & 0777, path);
    }
    hex[length] = '\0';
    int result = parse_secret(place, hex);
    explicit_bzero(hex, sizeof hex);
    return result;
}

static int read_secret_file(struct trib_place *place, const char *path) {
    char *stripped = stripped_copy(path);
    int status = stripped == NULL ? trib_fail(TRIB_NO_MEMORY, "no memory for the name of the secret's file")
        : read_secret_at(place, stripped);
    free(stripped);
    return status;
}

static int missing(const char *variable) {
    return trib_fail(TRIB_ATTACH_FAILED, "%s is needed and not set: set all variables of a job (docs: Job scripts), or"
                     " none of them and start the program with `tributary run`, `srun --mpi=pmi2` or `mpirun`",
                     variable);
}

static int read_secret(struct trib_place *place) {
    const char *hex = text_of(TRIB_VARIABLE_SECRET);
    const char *file = text_of(TRIB_VARIABLE_SECRET_FILE);
    if (hex != NULL && file != NULL) {
        return trib_fail(TRIB_ATTACH_FAILED, "TRIBUTARY_SECRET and TRIBUTARY_SECRET_FILE are both set; give one");
    }
    if (hex == NULL && file == NULL) {
        return missing("TRIBUTARY_SECRET or TRIBUTARY_SECRET_FILE");
    }
    return hex != NULL ? parse_secret(place, hex) : read_secret_file(place, file);
}

static bool parse_number(const char *text, int *number) {
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    *number = (int) value;
    while (isspace((unsigned char) *end)) {
        end++;
    }
    return end != text && errno == 0 && *end == '\0' && value >= 0 && value <= INT_MAX;
}

static int read_rank(int *rank) {
    for (size_t i = 0; i < sizeof rank_variables / sizeof *rank_variables; i++) {
        const char *text = text_of(rank_variables[i]);
        if (text != NULL) {
            return parse_number(text, rank) ? TRIB_OK
                : trib_fail(TRIB_ATTACH_FAILED, "%s='%s' is not the number of a rank", rank_variables[i], text);
        }
    }
    return missing("TRIBUTARY_RANK (or OMPI_COMM_WORLD_RANK, PMI_RANK, SLURM_PROCID)");
}

static bool is_job_id(const char *text, size_t length) {
    bool legal = length >= 1 && length <= TRIB_JOB_ID_BYTES;
    for (size_t i = 0; legal && i < length; i++) {
        legal = isalnum((unsigned char) text[i]) || strchr("._-", text[i]) != NULL;
    }
    return legal;
}

/** Everything but the secret, which the place has already. */
static int set(struct trib_place *place, const char *job_id, const char *layout, int rank, const char *servers,
               const char *servers_file) {
    if (place->secret_bytes < TRIB_MIN_SECRET_BYTES) {
        return trib_fail(TRIB_ATTACH_FAILED, "the secret has %zu bytes; at least %d are needed", place->secret_bytes,
                         TRIB_MIN_SECRET_BYTES);
    }
    job_id = job_id == NULL ? "" : job_id;
    size_t length = trib_strip(&job_id);
    if (!is_job_id(job_id, length)) {
        return trib_fail(TRIB_ATTACH_FAILED, "the job id '%s' (TRIBUTARY_JOB_ID) is not 1 to %d letters, digits, dots,"
                         " underscores or hyphens", job_id, TRIB_JOB_ID_BYTES);
    }
    memcpy(place->job_id, job_id, length);
    place->job_id[length] = '\0';
    if (trib_topology_parse(&place->topology, layout == NULL ? "" : layout) != TRIB_OK) {
        return trib_fail_prefix("TRIBUTARY_LAYOUT: ");
    }
    if (rank < 0 || rank >= place->topology.rank_count) {
        return trib_fail(TRIB_ATTACH_FAILED, "rank %d is outside the job's %d ranks", rank,
                         place->topology.rank_count);
    }
    place->rank = rank;
    place->node = trib_topology_node_of(&place->topology, rank);
    if ((servers != NULL && servers_file != NULL)
        || (place->topology.node_count > 1 && servers == NULL && servers_file == NULL)) {
        return trib_fail(TRIB_ATTACH_FAILED, "exactly one of TRIBUTARY_SERVERS and TRIBUTARY_SERVERS_FILE is needed by"
                         " a job of %d nodes", place->topology.node_count);
    }
    place->servers = servers == NULL ? NULL : strdup(servers);
    place->servers_file = servers_file == NULL ? NULL : stripped_copy(servers_file);
    if (place->servers == NULL && place->servers_file == NULL && place->topology.node_count > 1) {
        return trib_fail(TRIB_NO_MEMORY, "no memory for the addresses of servers");
    }
    return TRIB_OK;
}

int trib_place_read(struct trib_place *place) {
    int rank = -1;
    const char *node = text_of(TRIB_VARIABLE_NODE);
    const char *supervised = text_of(TRIB_VARIABLE_SUPERVISED);
    place->supervised = supervised != NULL && trib_strip(&supervised) == 1 && *supervised == '1';
    TRIB_TRY(read_secret(place));
    TRIB_TRY(text_of(TRIB_VARIABLE_JOB_ID) == NULL ? missing(TRIB_VARIABLE_JOB_ID)
             : text_of(TRIB_VARIABLE_LAYOUT) == NULL ? missing(TRIB_VARIABLE_LAYOUT) : read_rank(&rank));
    TRIB_TRY(set(place, text_of(TRIB_VARIABLE_JOB_ID), text_of(TRIB_VARIABLE_LAYOUT), rank,
                 text_of(TRIB_VARIABLE_SERVERS), text_of(TRIB_VARIABLE_SERVERS_FILE)));
    int number;
    return node == NULL || (parse_number(node, &number) && number == place->node) ? TRIB_OK
        : trib_fail(TRIB_ATTACH_FAILED, "TRIBUTARY_NODE=%s, but rank %d is on node %d in the layout %.200s", node, rank,
                    place->node, text_of(TRIB_VARIABLE_LAYOUT));
}

static int copy_secret(struct trib_place *place, const void *secret, size_t bytes) {
    place->secret = malloc(bytes + 1);
    if (place->secret == NULL) {
        return trib_fail(TRIB_NO_MEMORY, "no memory for a secret of %zu bytes", bytes);
    }
    if (bytes > 0) {
        memcpy(place->secret, secret, bytes);
    }
    place->secret_bytes = bytes;
    return TRIB_OK;
}

int trib_place_set(struct trib_place *place, const trib_job *description) {
    TRIB_TRY(description->secret_file != NULL ? read_secret_file(place, description->secret_file)
             : copy_secret(place, description->secret, description->secret_bytes));
    place->supervised = description->supervised;
    return set(place, description->job_id, description->layout, description->rank, description->servers,
               description->servers_file);
}

void trib_place_free(struct trib_place *place) {
    if (place->secret != NULL) {
        explicit_bzero(place->secret, place->secret_bytes);
    }
    free(place->secret);
    free(place->servers);
    free(place->servers_file);
    trib_topology_free(&place->topology);
}

/** Adds a text and a comma to a list; false when memory is short. */
static bool add_address(char **list, size_t *length, const char *text, size_t bytes) {
    char *longer = realloc(*list, *length + bytes + 1);
    if (longer != NULL) {
        memcpy(longer + *length, text, bytes);
        *length += bytes;
        longer[(*length)++] = ',';
        *list = longer;
    }
    return longer != NULL;
}

/** Lists the complete lines that are not blank; returns how many there are, or -1 when memory is short. */
static int64_t list_lines(FILE *file, char **list, size_t *length) {
    char *line = NULL;
    size_t capacity = 0;
    int64_t lines = 0;
    errno = 0;
    for (ssize_t read; lines >= 0 && (read = getline(&line, &capacity, file)) >= 0;) {
        size_t end = (size_t) read;
        bool complete = end > 0 && line[end - 1] == '\n';
        size_t begin = strspn(line, " \t\r");
        while (end > begin && isspace((unsigned char) line[end - 1])) {
            end--;
        }
        if (complete && end > begin) {
            lines = add_address(list, length, line + begin, end - begin) ? lines + 1 : -1;
        }
    }
    free(line);
    return errno == ENOMEM ? -1 : lines;
}

/** The file that lists the servers may be completed after ranks have started; a line has an end when it is complete. */
static int read_servers_file(struct trib_place *place) {
    FILE *file = fopen(place->servers_file, "re");
    if (file == NULL) {
        return errno == ENOENT ? TRIB_OK : trib_fail(TRIB_ATTACH_FAILED, "cannot read the servers' addresses in %s: %s",
                                                     place->servers_file, strerror(errno));
    }
    char *list = NULL;
    size_t length = 0;
    int64_t lines = list_lines(file, &list, &length);
    fclose(file);
    if (lines > place->topology.node_count) {
        free(list);
        return trib_fail(TRIB_ATTACH_FAILED, "%s has %lld addresses for a job of %d nodes", place->servers_file,
                         (long long) lines, place->topology.node_count);
    }
    if (lines < 0) {
        free(list);
        return trib_fail(TRIB_NO_MEMORY, "no memory for the addresses in %s", place->servers_file);
    }
    if (lines < place->topology.node_count) {
        free(list);
        return TRIB_OK;
    }
    list[length - 1] = '\0';
    char *none = NULL;
    /* Several threads may read it at once. Partner: the acquire load in trib_place_server. */
    if (!__atomic_compare_exchange_n(&place->servers, &none, list, false, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE)) {
        free(list);
    }
    return TRIB_OK;
}

int trib_place_server(struct trib_place *place, int node, char address[TRIB_SERVER_NAME_BYTES]) {
    address[0] = '\0';
    const char *servers = __atomic_load_n(&place->servers, __ATOMIC_ACQUIRE);
    if (servers == NULL && place->servers_file != NULL) {
        TRIB_TRY(read_servers_file(place));
        servers = __atomic_load_n(&place->servers, __ATOMIC_ACQUIRE);
    }
    const char *at = servers;
    for (int i = 0; at != NULL && i < node; i++) {
        at = strchr(at, ',');
        at = at == NULL ? NULL : at + 1;
    }
    if (at != NULL) {
        at += strspn(at, TRIB_BLANKS);
        size_t length = strcspn(at, "," TRIB_BLANKS);
        if (length == 0 || length >= TRIB_SERVER_NAME_BYTES) {
            return trib_fail(TRIB_ATTACH_FAILED, "the address of node %d in TRIBUTARY_SERVERS is not host:port", node);
        }
        memcpy(address, at, length);
        address[length] = '\0';
    } else if (servers != NULL) {
        return trib_fail(TRIB_ATTACH_FAILED, "TRIBUTARY_SERVERS has no address of node %d", node);
    }
    return TRIB_OK;
}
