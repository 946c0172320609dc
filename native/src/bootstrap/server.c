/*
 * The communication server of a node, the child of the node's lowest rank. A shell waits for it and removes what it
 * leaves when it is killed. The end of its standard input tells it that this process has died, so it ends then, too,
 * unless this process has released it. It leads a session of its own: what ends the processes of the job must not kill
 * it before it has cleaned up.
 */
#include "bootstrap.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef TRIB_HOME
#define TRIB_HOME ""
#endif
/** Where the server finds its file of addresses, and the one with the job's secret. */
#define SERVERS_FD 3
#define SECRET_FD 4
#define FDS 4
#define END_MS ((int) TRIB_SERVER_END_S * 1000)
#define POLL_NS 2000000
#define NOTICE_AFTER_S ((int) (TRIB_NOTICE_AFTER_NS / TRIB_NS_PER_S))

extern char **environ;

/** Not for the server: they describe the caller's own place, are set anew, or are of a connection that only it has. */
static const char *const own_variables[] = {TRIB_CALLERS_VARIABLES, TRIB_VARIABLE_SERVER_PORT,
    TRIB_VARIABLE_SERVER_METRICS_PORT};

static bool is_own(const char *entry) {
    for (size_t i = 0; i < sizeof own_variables / sizeof *own_variables; i++) {
        size_t length = strlen(own_variables[i]);
        if (strncmp(entry, own_variables[i], length) == 0 && entry[length] == '=') {
            return true;
        }
    }
    return false;
}

#define ADDED 8

struct environment {
    char **entries;
    char *added[ADDED];
    int added_count;
    bool is_short; /* of memory */
};

static void add(struct environment *e, const char *name, const char *value) {
    size_t length = strlen(name) + strlen(value) + 2;
    char *entry = malloc(length);
    if (entry == NULL) {
        e->is_short = true;
        return;
    }
    snprintf(entry, length, "%s=%s", name, value);
    e->added[e->added_count++] = entry;
}

/** Servers of one machine count fixed ports up by their node, as those of the launcher do. */
static void add_port(struct environment *e, const char *variable, const struct trib_plan *plan, int node) {
    const char *given = getenv(variable);
    char text[16];
    if (given != NULL) {
        size_t length = trib_strip(&given);
        char *end;
        long port = strtol(given, &end, 10);
        bool is_port = end == given + length && port > 0 && port <= UINT16_MAX;
        snprintf(text, sizeof text, "%ld", plan->one_machine ? port + node : port);
        add(e, variable, is_port ? text : given);
    }
}

/** A value as settings take it; false when there is none. A longer one is cut. */
static bool stripped(const char *given, char *text, size_t size) {
    if (given == NULL) {
        return false;
    }
    size_t length = trib_strip(&given);
    snprintf(text, size, "%.*s", (int) length, given);
    return true;
}

/** Told by a setting that is not a rank's; the server refuses it beside an address. */
static bool listens_on_interface(void) {
    const char *given = getenv(TRIB_VARIABLE_SERVER_INTERFACE);
    char text[32];
    return stripped(given, text, sizeof text) && strcmp(text, TRIB_INTERFACE_ANY) != 0;
}

static int make_environment(struct environment *e, const struct trib_plan *plan, int node) {
    char text[32];
    *e = (struct environment) {.added_count = 0};
    add(e, TRIB_VARIABLE_JOB_ID, plan->job_id);
    add(e, TRIB_VARIABLE_LAYOUT, plan->layout);
    snprintf(text, sizeof text, "/proc/self/fd/%d", SERVERS_FD);
    add(e, TRIB_VARIABLE_SERVERS_FILE, text);
    snprintf(text, sizeof text, "%d", node);
    add(e, TRIB_VARIABLE_NODE, text);
    snprintf(text, sizeof text, "/proc/self/fd/%d", SECRET_FD);
    add(e, TRIB_VARIABLE_SECRET_FILE, plan->secret_file == NULL ? text : plan->secret_file);
    if (plan->one_machine && getenv(TRIB_VARIABLE_SERVER_BIND_ADDRESS) == NULL && !listens_on_interface()) {
        add(e, TRIB_VARIABLE_SERVER_BIND_ADDRESS, "127.0.0.1");
    }
    add_port(e, TRIB_VARIABLE_SERVER_PORT, plan, node);
    add_port(e, TRIB_VARIABLE_SERVER_METRICS_PORT, plan, node);
    size_t count = 0;
    while (environ[count] != NULL) {
        count++;
    }
    e->entries = calloc(count + ADDED + 1, sizeof *e->entries);
    if (e->entries == NULL || e->is_short) {
        return trib_fail(TRIB_NO_MEMORY, "no memory for the environment of a server");
    }
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_own(environ[i])) {
            e->entries[used++] = environ[i];
        }
    }
    for (int i = 0; i < e->added_count; i++) {
        e->entries[used++] = e->added[i];
    }
    e->entries[used] = NULL;
    return TRIB_OK;
}

static void free_environment(struct environment *e) {
    for (int i = 0; i < e->added_count; i++) {
        free(e->added[i]);
    }
    free(e->entries);
}

/** In a folder, when that has one; errno says why it has none. */
static bool is_command(char command[PATH_MAX], const char *format, int length, const char *folder) {
    struct stat found;
    if (snprintf(command, PATH_MAX, format, length, folder) >= PATH_MAX || stat(command, &found) != 0
        || access(command, X_OK) != 0) {
        return false;
    }
    errno = S_ISREG(found.st_mode) ? errno : EISDIR;
    return S_ISREG(found.st_mode);
}

/**
 * The `tributary` command: of TRIBUTARY_HOME; beside the installed library; of the folder named when this library was
 * built; on the path.
 */
static int find_command(char command[PATH_MAX]) {
    const char *home = getenv(TRIB_VARIABLE_HOME);
    if (home != NULL && home[strspn(home, " \t")] != '\0') {
        return is_command(command, "%.*s/tributary", PATH_MAX, home)
            || is_command(command, "%.*s/bin/tributary", PATH_MAX, home) ? TRIB_OK
            : trib_fail(TRIB_ATTACH_FAILED, "TRIBUTARY_HOME=%s, but neither %s/tributary nor %s can be run: %s;"
                        " name the folder with the command `tributary` or `bin/tributary`", home, home, command,
                        strerror(errno));
    }
    Dl_info library;
    const char *slash = dladdr(own_variables, &library) == 0 || library.dli_fname == NULL ? NULL
        : strrchr(library.dli_fname, '/');
    if ((slash == NULL || !is_command(command, "%.*s/../bin/tributary", (int) (slash - library.dli_fname),
                                      library.dli_fname))
        && (TRIB_HOME[0] == '\0' || !is_command(command, "%.*s/tributary", PATH_MAX, TRIB_HOME))) {
        strcpy(command, "tributary");
    }
    return TRIB_OK;
}

static int64_t now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static int spawn(struct trib_server *server, char *const arguments[], char *const variables[], const int fds[FDS]) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fds[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fds[2], SERVERS_FD);
    posix_spawn_file_actions_adddup2(&actions, fds[3], SECRET_FD);
    posix_spawn_file_actions_addclosefrom_np(&actions, SECRET_FD + 1);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int pid = 0;
    int code = posix_spawn(&pid, "/bin/sh", &actions, &attributes, arguments, variables);
    server->pid = code == 0 ? pid : 0;
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return code == 0 ? TRIB_OK
        : trib_fail(TRIB_ATTACH_FAILED, "/bin/sh cannot be started: %s", strerror(code));
}

/** Above the numbers that the server's descriptors get, so that none is overwritten before it has been copied. */
static int raised(int fd) {
    if (fd < 0) {
        return fd;
    }
    int high = fcntl(fd, F_DUPFD_CLOEXEC, SECRET_FD + 8);
    close(fd);
    return high;
}

/** A file in memory, of mode 0600: a process's environment, and so a secret in it, is shown by ps. */
static int secret_file(const struct trib_plan *plan) {
    char text[2 * TRIB_SECRET_BYTES + 1];
    for (int i = 0; i < TRIB_SECRET_BYTES; i++) {
        snprintf(text + 2 * i, 3, "%02x", plan->secret[i]);
    }
    int fd = raised(memfd_create("tributary-secret", MFD_CLOEXEC));
    bool written = fd >= 0 && fchmod(fd, S_IRUSR | S_IWUSR) == 0
        && pwrite(fd, text, sizeof text - 1, 0) == (ssize_t) sizeof text - 1;
    explicit_bzero(text, sizeof text);
    if (!written && fd >= 0) {
        close(fd);
    }
    return written ? fd : -1;
}

static void close_open(int *fd) {
    if (*fd >= 0) {
        close(*fd);
    }
    *fd = -1;
}

static void close_all(struct trib_server *server) {
    close_open(&server->orders);
    close_open(&server->answers);
    close_open(&server->servers);
}

/** What is open when it fails, the caller closes. */
static int open_all(struct trib_server *server, const struct trib_plan *plan, int fds[FDS]) {
    int orders[2] = {-1, -1};
    int answers[2] = {-1, -1};
    server->orders = server->answers = server->servers = -1;
    if (pipe2(orders, O_CLOEXEC) != 0 || pipe2(answers, O_CLOEXEC) != 0) {
        close_open(&orders[0]);
        close_open(&orders[1]);
        return trib_fail(TRIB_SYSTEM, "no pipe to a server: %s", strerror(errno));
    }
    fds[0] = raised(orders[0]);
    server->orders = raised(orders[1]);
    server->answers = raised(answers[0]);
    fds[1] = raised(answers[1]);
    server->servers = raised(memfd_create("tributary-servers", MFD_CLOEXEC));
    fds[2] = server->servers;
    fds[3] = secret_file(plan);
    return fds[0] >= 0 && fds[1] >= 0 && fds[2] >= 0 && fds[3] >= 0 && server->orders >= 0 && server->answers >= 0 ? TRIB_OK
        : trib_fail(TRIB_SYSTEM, "no descriptors for a server: %s", strerror(errno));
}

/**
 * Waits until the server says something, and says itself that it waits, after 10 s and whenever that time has doubled.
 * There is a limit, but one that a server started for the first time keeps, which builds Tributary.
 */
static int await_output(const struct trib_server *server, int node, int rank, int limit_s, int64_t began_s,
                        int *notice_after_s) {
    struct pollfd answers = {.fd = server->answers, .events = POLLIN};
    for (;;) {
        int ready = poll(&answers, 1, 1000);
        int64_t waited_s = now_s() - began_s;
        if (ready > 0 || (ready < 0 && errno != EINTR)) {
            return TRIB_OK;
        }
        if (waited_s >= limit_s) {
            return trib_fail(TRIB_ATTACH_FAILED, "the communication server of node %d, process %d, does not"
                            " listen within %d s", node, (int) server->pid, limit_s);
        }
        if (waited_s >= *notice_after_s) {
            fprintf(stderr, "tributary: rank %d still waits for the communication server of node %d to start, process %d"
                    " (%d s of %d s)\n", rank, node, (int) server->pid, (int) waited_s, limit_s);
            *notice_after_s = 2 * (int) waited_s;
        }
    }
}

/** Reads until the server says where it listens; see org.tributary.wire.ReadyLine. */
static int await_ready(const struct trib_server *server, int node, int rank, int limit_s,
                       char address[TRIB_ADDRESS_BYTES]) {
    char line[1024];
    size_t used = 0;
    int64_t began_s = now_s();
    int notice_after_s = NOTICE_AFTER_S;
    for (;;) {
        TRIB_TRY(await_output(server, node, rank, limit_s, began_s, &notice_after_s));
        ssize_t got = read(server->answers, line + used, 1);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return trib_fail(TRIB_ATTACH_FAILED, "the communication server of node %d ended before it"
                            " listened; what it said stands above. TRIBUTARY_HOME names the folder with the command"
                            " `tributary`", node);
        }
        if (line[used] != '\n') {
            used += used + 1 < sizeof line;
            continue;
        }
        line[used] = '\0';
        used = 0;
        char *begin = strstr(line, TRIB_READY_ADDRESS);
        if (strncmp(line, TRIB_READY_BEGIN, strlen(TRIB_READY_BEGIN)) == 0 && begin != NULL) {
            begin += strlen(TRIB_READY_ADDRESS);
            snprintf(address, TRIB_ADDRESS_BYTES, "%.*s", (int) strcspn(begin, ","), begin);
            return TRIB_OK;
        }
    }
}

int trib_plan_make(struct trib_plan *plan, const char *prefix, bool with_secret) {
    uint32_t number = 0;
    size_t secret_bytes = with_secret ? sizeof plan->secret : 0;
    if (getrandom(plan->secret, secret_bytes, 0) != (ssize_t) secret_bytes
        || getrandom(&number, sizeof number, 0) != sizeof number) {
        return trib_fail(TRIB_SYSTEM, "the system gives no random numbers");
    }
    snprintf(plan->job_id, sizeof plan->job_id, "%s-%d-%08x", prefix, (int) getpid(), (unsigned) number);
    return TRIB_OK;
}

static void find_shm_directory(char directory[PATH_MAX]) {
    if (!stripped(getenv(TRIB_VARIABLE_SHM_DIRECTORY), directory, PATH_MAX)) {
        snprintf(directory, PATH_MAX, "/dev/shm");
    }
}

int trib_server_start(struct trib_server *server, const struct trib_plan *plan, int node, int rank, int limit_s,
                      char address[TRIB_ADDRESS_BYTES]) {
    char command[PATH_MAX];
    char shm[PATH_MAX];
    char directory[sizeof shm + TRIB_JOB_ID_BYTES + 64];
    int fds[FDS] = {-1, -1, -1, -1};
    TRIB_TRY(find_command(command));
    trib_servers_sweep();
    int status = open_all(server, plan, fds);
    find_shm_directory(shm);
    snprintf(directory, sizeof directory, "%s/" TRIB_NODE_DIRECTORY "%s-%d", shm, plan->job_id, node);
    char *arguments[] = {"sh", "-c", TRIB_SERVER_SCRIPT, "tributary-server", directory, command, TRIB_SERVER_ARGUMENTS,
        NULL};
    if (status == TRIB_OK) {
        struct environment e;
        status = make_environment(&e, plan, node);
        status = status == TRIB_OK ? spawn(server, arguments, e.entries, fds) : status;
        free_environment(&e);
    }
    close_open(&fds[0]);
    close_open(&fds[1]);
    close_open(&fds[3]);
    if (status != TRIB_OK) {
        close_all(server); /* there is no process that ends with them */
        return status;
    }
    return await_ready(server, node, rank, limit_s, address);
}

int trib_server_tell(const struct trib_server *server, const char *addresses) {
    size_t length = strlen(addresses);
    return pwrite(server->servers, addresses, length, 0) == (ssize_t) length ? TRIB_OK
        : trib_fail(TRIB_SYSTEM, "cannot write the addresses of the servers: %s", strerror(errno));
}

/** Waits, for a bounded time, until a child has ended and been collected, here or by somebody else. */
static bool collected(pid_t pid) {
    const struct timespec pause = {.tv_nsec = POLL_NS};
    for (int64_t waited_ns = 0; waited_ns < (int64_t) END_MS * 1000000; waited_ns += POLL_NS) {
        pid_t ended = waitpid(pid, NULL, WNOHANG);
        if (ended == pid || (ended < 0 && errno != EINTR)) {
            return true;
        }
        nanosleep(&pause, NULL);
    }
    return false;
}

void trib_server_release(struct trib_server *server) {
    static const char order[] = "release\n";
    if (server->pid == 0) {
        return;
    }
    /* Its end means the same to one that has ended. A write to it may raise SIGPIPE, which a rank need not expect. */
    sigset_t pipe;
    sigset_t before;
    const struct timespec now = {.tv_sec = 0};
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    bool told = write(server->orders, order, sizeof order - 1) == (ssize_t) sizeof order - 1;
    if (!told && errno == EPIPE && !sigismember(&before, SIGPIPE)) {
        sigtimedwait(&pipe, NULL, &now);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(server->orders);
    close(server->answers);
    close(server->servers);
    server->pid = 0;
}

void trib_server_end(struct trib_server *server, bool now) {
    if (server->pid == 0) {
        return;
    }
    if (now) {
        close(server->orders);
    }
    /* Its output ends with it; the program may have collected the process itself, in a handler of SIGCHLD. */
    struct pollfd answers = {.fd = server->answers, .events = POLLIN};
    char text[256];
    bool late = false;
    while (!late) {
        int ready = poll(&answers, 1, END_MS);
        late = ready == 0;
        if (ready > 0 && read(server->answers, text, sizeof text) <= 0) {
            break;
        }
    }
    if (!now) {
        close(server->orders); /* makes one that is late end now */
    }
    close(server->answers);
    close(server->servers);
    if (!collected(server->pid)) {
        kill(-server->pid, SIGKILL); /* the whole session; what it leaves behind is swept below or by the next start */
        collected(server->pid);
        trib_servers_sweep();
    }
    server->pid = 0;
}

void trib_servers_sweep(void) {
    char shm[PATH_MAX];
    find_shm_directory(shm);
    trib_sweep(shm, NULL);
}
