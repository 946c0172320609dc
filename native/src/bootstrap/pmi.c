/* PMI-1: a line of key=value a message, each answered by one line; see org.tributary.client.bootstrap.Pmi. */
#include "bootstrap.h"

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define SPACE_BYTES 256
#define PUT "cmd=put"
#define GET "cmd=get"
#define VALUE "value="

/** A process has one connection to its process manager. */
static struct {
    int fd;
    ino_t inode; /* of the descriptor: MPI may have closed it, and something else its number */
    int64_t timeout_ns;
    char space[SPACE_BYTES];
    char pending[TRIB_PMI_LINE_BYTES + 1]; /* read, and not looked at yet */
    size_t pending_bytes;
    char line[TRIB_PMI_LINE_BYTES + 1]; /* the last answer */
} pmi;

static const char *set(const char *variable) {
    const char *text = getenv(variable);
    return text == NULL || *text == '\0' ? NULL : text;
}

bool trib_pmi_is_offered(void) {
    return set("PMI_FD") != NULL || set("PMI_PORT") != NULL;
}

static int lost(const char *question) {
    return trib_fail(TRIB_ATTACH_FAILED, "the process manager has closed its connection (PMI-1) instead of answering"
                     " '%s'", question);
}

static int send_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int send_line(const char *format, ...) {
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text - 1, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t) length >= sizeof text - 1) {
        return trib_fail(TRIB_ATTACH_FAILED, "a message of %d bytes is too long for PMI-1", length);
    }
    text[length++] = '\n';
    struct stat status;
    if (fstat(pmi.fd, &status) != 0 || status.st_ino != pmi.inode) {
        return trib_fail(TRIB_ATTACH_FAILED, "the connection to the process manager (PMI-1) has been closed");
    }
    for (int done = 0; done < length;) {
        ssize_t sent = send(pmi.fd, text + done, (size_t) (length - done), MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) {
            return trib_fail(TRIB_ATTACH_FAILED, "cannot write to the process manager (PMI-1): %s", strerror(errno));
        }
        done += sent < 0 ? 0 : (int) sent;
    }
    return TRIB_OK;
}

/** Reads what has come, for a moment at most. */
static int read_some(struct trib_deadline *deadline, const char *question) {
    struct pollfd readable = {.fd = pmi.fd, .events = POLLIN};
    int ready = poll(&readable, 1, trib_deadline_look_ms(deadline));
    if (ready <= 0) {
        return ready == 0 || errno == EINTR ? TRIB_OK : lost(question);
    }
    ssize_t got = read(pmi.fd, pmi.pending + pmi.pending_bytes, TRIB_PMI_LINE_BYTES - pmi.pending_bytes);
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) {
        return lost(question);
    }
    pmi.pending_bytes += got < 0 ? 0 : (size_t) got;
    return TRIB_OK;
}

/** The value of a key of the last answer, without its end; NULL when it has none. */
static const char *value_of(const char *key, size_t *bytes) {
    size_t length = strlen(key);
    for (const char *word = pmi.line; *word != '\0'; word += strcspn(word, " ")) {
        word += strspn(word, " ");
        if (strncmp(word, key, length) == 0 && word[length] == '=') {
            *bytes = strcspn(word + length + 1, " ");
            return word + length + 1;
        }
    }
    return NULL;
}

static int read_line(int64_t within_ns, int rank, const char *question) {
    struct trib_deadline deadline = trib_deadline_in(within_ns, NULL);
    int64_t began_ns = trib_now_ns();
    int64_t notice_at_ns = began_ns + TRIB_NOTICE_AFTER_NS;
    char *end;
    while ((end = memchr(pmi.pending, '\n', pmi.pending_bytes)) == NULL) {
        int64_t now_ns = trib_now_ns();
        if (pmi.pending_bytes == TRIB_PMI_LINE_BYTES) {
            return trib_fail(TRIB_ATTACH_FAILED, "the process manager answers '%s' by a line of more than %d characters"
                             " (PMI-1)", question, TRIB_PMI_LINE_BYTES);
        }
        if (trib_deadline_left(&deadline) <= 0) {
            return trib_fail(TRIB_ATTACH_FAILED, "the process manager (PMI-1) has not answered '%s' within %.1f s"
                             " (%sattach.timeout)", question, (double) within_ns / TRIB_NS_PER_S,
                             within_ns == pmi.timeout_ns ? "" : "twice ");
        }
        if (now_ns >= notice_at_ns) {
            fprintf(stderr, "tributary: rank %d still waits for the process manager's answer to '%s' (%lld s of %lld"
                    " s)\n", rank, question, (long long) ((now_ns - began_ns) / TRIB_NS_PER_S),
                    (long long) (within_ns / TRIB_NS_PER_S));
            notice_at_ns = now_ns + (now_ns - began_ns);
        }
        TRIB_TRY(read_some(&deadline, question));
    }
    size_t bytes = (size_t) (end - pmi.pending);
    memcpy(pmi.line, pmi.pending, bytes);
    pmi.line[bytes] = '\0';
    pmi.pending_bytes -= bytes + 1;
    memmove(pmi.pending, end + 1, pmi.pending_bytes);
    size_t unused;
    if (value_of("cmd", &unused) != NULL) {
        return TRIB_OK;
    }
    bool may_be_value = strcmp(question, PUT) == 0 || strcmp(question, GET) == 0 || strstr(pmi.line, VALUE) != NULL;
    return may_be_value
        ? trib_fail(TRIB_ATTACH_FAILED, "the process manager answers '%s' by %zu characters, which is not PMI-1",
                    question, bytes)
        : trib_fail(TRIB_ATTACH_FAILED, "the process manager answers '%s' by '%.100s', which is not PMI-1", question,
                    pmi.line);
}

/** The last answer for a message, up to the value that a rank has put: it may hold the job's secret. */
static const char *shown(void) {
    char *value = strstr(pmi.line, VALUE);
    if (value != NULL) {
        value[strlen(VALUE)] = '\0';
    }
    return pmi.line;
}

/** Not every answer has a code. */
static int check_code(const char *question) {
    size_t bytes;
    const char *code = value_of("rc", &bytes);
    return code == NULL || (bytes == 1 && *code == '0') ? TRIB_OK
        : trib_fail(TRIB_ATTACH_FAILED, "PMI-1 refuses '%s': %.200s", question, shown());
}

static int text_of(const char *key, const char *question, char *text, size_t room) {
    size_t bytes;
    const char *value = value_of(key, &bytes);
    if (value == NULL || bytes >= room) {
        return trib_fail(TRIB_ATTACH_FAILED, "the process manager's answer to '%s' has no %s of less than %zu bytes:"
                         " %.200s", question, key, room, shown());
    }
    memcpy(text, value, bytes);
    text[bytes] = '\0';
    return TRIB_OK;
}

static int number(const char *what, const char *text, int *result) {
    char *end;
    errno = 0;
    long value = text == NULL ? -1 : strtol(text, &end, 10);
    if (text == NULL || end == text || *end != '\0' || errno != 0 || value < 0 || value > INT_MAX) {
        return trib_fail(TRIB_ATTACH_FAILED, "PMI-1: %s='%s' is not a number from 0", what, text == NULL ? "" : text);
    }
    *result = (int) value;
    return TRIB_OK;
}

static int number_of(const char *key, const char *question, int *result) {
    char text[32];
    TRIB_TRY(text_of(key, question, text, sizeof text));
    return number(key, text, result);
}

static int ask(struct trib_key_values *values, const char *question) {
    TRIB_TRY(send_line("%s", question));
    return read_line(pmi.timeout_ns, values->rank, question);
}

static int pmi_put(struct trib_key_values *values, const char *key, const char *value) {
    TRIB_TRY(send_line("cmd=put kvsname=%s key=%s value=%s", pmi.space, key, value));
    TRIB_TRY(read_line(pmi.timeout_ns, values->rank, PUT));
    return check_code(PUT);
}

static int pmi_get(struct trib_key_values *values, int rank, const char *key, char *value, size_t room) {
    (void) rank;
    TRIB_TRY(send_line("cmd=get kvsname=%s key=%s", pmi.space, key));
    TRIB_TRY(read_line(pmi.timeout_ns, values->rank, GET));
    TRIB_TRY(check_code(GET));
    return text_of("value", key, value, room);
}

static int pmi_barrier(struct trib_key_values *values) {
    static const char question[] = "cmd=barrier_in";
    size_t bytes;
    int status = send_line("%s", question);
    if (status == TRIB_OK) {
        status = read_line(2 * pmi.timeout_ns, values->rank, question);
    }
    if (status == TRIB_OK) {
        const char *answer = value_of("cmd", &bytes);
        status = bytes == 11 && strncmp(answer, "barrier_out", 11) == 0 ? check_code(question)
            : trib_fail(TRIB_ATTACH_FAILED, "the process manager answers '%s' by '%.100s' (PMI-1)", question, shown());
    }
    return status == TRIB_OK ? TRIB_OK
        : trib_fail(status, "%s; do all %d ranks attach?", trib_last_error()->message, values->size);
}

static void pmi_abort(struct trib_key_values *values, int exit_code, const char *message) {
    (void) values;
    (void) message;
    send_line("cmd=abort exitcode=%d", exit_code);
}

static void pmi_leave(struct trib_key_values *values) {
    ask(values, "cmd=finalize"); /* the process ends anyway */
}

static int open_descriptor(struct trib_key_values *values) {
    struct stat status;
    TRIB_TRY(number("PMI_FD", getenv("PMI_FD"), &pmi.fd));
    /* A process that inherited the variable, and not the descriptor, must not write into whatever has its number. */
    if (fstat(pmi.fd, &status) != 0 || !S_ISSOCK(status.st_mode)) {
        return trib_fail(TRIB_ATTACH_FAILED, "PMI_FD=%d is no connection of this process: the launcher has started"
                         " another process, from which this one has inherited the variable. Start this one without"
                         " PMI_FD to make it a job of its own", pmi.fd);
    }
    pmi.inode = status.st_ino;
    fcntl(pmi.fd, F_SETFD, FD_CLOEXEC);
    TRIB_TRY(number("PMI_RANK", getenv("PMI_RANK"), &values->rank));
    return number("PMI_SIZE", getenv("PMI_SIZE"), &values->size);
}

static int connect_to(const char *port) {
    char host[256];
    const char *colon = strrchr(port, ':');
    if (colon == NULL || (size_t) (colon - port) >= sizeof host) {
        return trib_fail(TRIB_ATTACH_FAILED, "PMI_PORT='%s' is not host:port", port);
    }
    snprintf(host, sizeof host, "%.*s", (int) (colon - port), port);
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    int code = getaddrinfo(host, colon + 1, &hints, &found);
    if (code != 0) {
        return trib_fail(TRIB_ATTACH_FAILED, "PMI_PORT=%s: %s", port, gai_strerror(code));
    }
    struct timeval limit = {.tv_sec = (time_t) (pmi.timeout_ns / TRIB_NS_PER_S) + 1};
    int error = 0;
    pmi.fd = -1;
    for (struct addrinfo *at = found; at != NULL && pmi.fd < 0; at = at->ai_next) {
        int fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, 0);
        bool open = fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) == 0
            && connect(fd, at->ai_addr, at->ai_addrlen) == 0;
        error = errno;
        if (open) {
            pmi.fd = fd;
        } else if (fd >= 0) {
            close(fd);
        }
    }
    freeaddrinfo(found);
    return pmi.fd >= 0 ? TRIB_OK : trib_fail(TRIB_ATTACH_FAILED, "PMI_PORT=%s: %s", port, strerror(error));
}

/** The process manager tells this rank its number, in three lines more. */
static int open_port(struct trib_key_values *values) {
    const char *id = getenv("PMI_ID");
    struct stat status;
    TRIB_TRY(connect_to(getenv("PMI_PORT")));
    pmi.inode = fstat(pmi.fd, &status) == 0 ? status.st_ino : 0;
    TRIB_TRY(send_line("cmd=initack pmiid=%s", id == NULL ? "0" : id));
    values->rank = -1;
    values->size = -1;
    for (int line = 0; line < 4; line++) {
        size_t bytes;
        TRIB_TRY(read_line(pmi.timeout_ns, 0, "cmd=initack"));
        if (value_of("size", &bytes) != NULL) {
            TRIB_TRY(number_of("size", "cmd=initack", &values->size));
        }
        if (value_of("rank", &bytes) != NULL) {
            TRIB_TRY(number_of("rank", "cmd=initack", &values->rank));
        }
    }
    return TRIB_OK;
}

int trib_pmi_open(struct trib_key_values *values, int64_t timeout_ns) {
    int most = 0;
    pmi.timeout_ns = timeout_ns;
    pmi.pending_bytes = 0;
    *values = (struct trib_key_values) {.name = "PMI-1", .put = pmi_put, .get = pmi_get, .barrier = pmi_barrier,
        .abort = pmi_abort, .leave = pmi_leave};
    TRIB_TRY(set("PMI_FD") != NULL ? open_descriptor(values) : open_port(values));
    if (values->size < 1 || values->size > TRIB_PMI_MOST_RANKS || values->rank < 0 || values->rank >= values->size) {
        return trib_fail(TRIB_ATTACH_FAILED, "PMI-1 says that this is rank %d of %d", values->rank, values->size);
    }
    TRIB_TRY(ask(values, "cmd=init pmi_version=1 pmi_subversion=1"));
    TRIB_TRY(check_code("cmd=init"));
    TRIB_TRY(ask(values, "cmd=get_maxes"));
    TRIB_TRY(number_of("vallen_max", "cmd=get_maxes", &most));
    if (most <= TRIB_PMI_LEAST_OF_A_VALUE) {
        return trib_fail(TRIB_ATTACH_FAILED, "PMI-1 takes values of %d characters, at least %d are needed", most - 1,
                         TRIB_PMI_LEAST_OF_A_VALUE);
    }
    values->value_bytes = (size_t) (most - 1 < TRIB_PMI_MOST_OF_A_VALUE ? most - 1 : TRIB_PMI_MOST_OF_A_VALUE);
    TRIB_TRY(ask(values, "cmd=get_my_kvsname"));
    return text_of("kvsname", "cmd=get_my_kvsname", pmi.space, sizeof pmi.space);
}
