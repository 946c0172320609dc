/* Parts of the library that need no job. With the argument "layout": places that must be the same in Java. */
#include "testing.h"

#include "link/links.h"
#include "net/sha256.h"
#include "units.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void hex(const uint8_t *bytes, char text[2 * TRIB_SHA256_BYTES + 1]) {
    for (int i = 0; i < TRIB_SHA256_BYTES; i++) {
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    }
}

static void expect_hash(const char *data, size_t repeats, const char *expected) {
    struct trib_sha256 hash;
    uint8_t digest[TRIB_SHA256_BYTES];
    char text[2 * TRIB_SHA256_BYTES + 1];
    trib_sha256_begin(&hash);
    for (size_t i = 0; i < repeats; i++) {
        trib_sha256_add(&hash, data, strlen(data));
    }
    trib_sha256_end(&hash, digest);
    hex(digest, text);
    CHECK(strcmp(text, expected) == 0);
}

static void expect_mac(const void *key, size_t key_bytes, const char *data, const char *expected) {
    struct trib_hmac mac;
    uint8_t digest[TRIB_SHA256_BYTES];
    char text[2 * TRIB_SHA256_BYTES + 1];
    trib_hmac_begin(&mac, key, key_bytes);
    trib_hmac_add(&mac, data, strlen(data));
    trib_hmac_end(&mac, digest);
    hex(digest, text);
    CHECK(strcmp(text, expected) == 0);
}

/** The examples of FIPS 180-4 and RFC 4231. */
static void should_hash_as_the_standards_do(void) {
    uint8_t key[131];
    expect_hash("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect_hash("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect_hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    expect_hash("a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    memset(key, 0x0b, sizeof key);
    expect_mac(key, 20, "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    expect_mac("Jefe", 4, "what do ya want for nothing?",
               "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    memset(key, 0xaa, sizeof key);
    expect_mac(key, sizeof key, "Test Using Larger Than Block-Size Key - Hash Key First",
               "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

static void should_find_what_a_map_holds(void) {
    struct trib_map map = {0};
    for (int64_t key = 0; key < 5000; key++) {
        CHECK(trib_map_put(&map, key * 7919, key));
    }
    for (int64_t key = 0; key < 5000; key += 2) {
        CHECK(trib_map_remove(&map, key * 7919));
        CHECK(!trib_map_remove(&map, key * 7919));
    }
    for (int64_t key = 0; key < 5000; key++) {
        EQUAL(trib_map_get(&map, key * 7919, -1), key % 2 == 0 ? -1 : key);
    }
    EQUAL(map.count, 2500);
    trib_map_free(&map);
}

/** Stand for connections, which the rules never look into. */
#define CONNECTION ((struct trib_link *) (void *) &connection)
static char connection;

static void should_connect_directly_for_what_is_large_or_repeated(void) {
    struct trib_paths paths;
    struct trib_path path = {.node = 3};
    struct trib_path other = {.node = 4};
    CHECK(trib_paths_init(&paths, 16 << 10, 2));
    CHECK(!trib_paths_note_use(&paths, &path, 1024, 0));
    CHECK(trib_paths_note_use(&paths, &path, 16 << 10, 0));
    for (int i = 2; i < TRIB_WORTH_DIRECT; i++) {
        CHECK(!trib_paths_note_use(&paths, &path, 0, 0));
    }
    CHECK(trib_paths_note_use(&paths, &path, 0, 0));
    CHECK(!trib_paths_note_use(&paths, &other, 0, 0));
    trib_paths_opened(&paths, &path, CONNECTION, 0);
    CHECK(trib_paths_note_use(&paths, &path, 0, 0));
    trib_paths_refused(&path, 5);
    CHECK(!trib_paths_note_use(&paths, &path, 1 << 20, 6));
    trib_paths_closed(&paths, &path);
    CHECK(path.direct == NULL && paths.count == 0);
    trib_paths_free(&paths);
    CHECK(trib_paths_init(&paths, 0, 0));
    CHECK(!trib_paths_note_use(&paths, &other, 1 << 20, 0));
    trib_paths_free(&paths);
}

static void should_give_up_what_was_not_used_for_longest(void) {
    struct trib_paths paths;
    struct trib_path path_to[3] = {{.node = 1}, {.node = 2}, {.node = 3}};
    int64_t now = TRIB_UNUSED_NS;
    CHECK(trib_paths_init(&paths, 1, 2));
    trib_paths_opened(&paths, &path_to[0], CONNECTION, now);
    CHECK(trib_paths_least_recently_used(&paths) == NULL);
    trib_paths_opened(&paths, &path_to[1], CONNECTION, now);
    CHECK(trib_paths_least_recently_used(&paths) == &path_to[0]);
    CHECK(trib_paths_note_use(&paths, &path_to[0], 0, now));
    CHECK(trib_paths_least_recently_used(&paths) == &path_to[1]);
    /* A large operation takes the place at once, a repeated one when it has not been used for a while. */
    for (int i = 0; i < 2 * TRIB_WORTH_DIRECT; i++) {
        CHECK(!trib_paths_note_use(&paths, &path_to[2], 0, now + TRIB_UNUSED_NS));
    }
    CHECK(trib_paths_note_use(&paths, &path_to[2], 1, now));
    CHECK(trib_paths_note_use(&paths, &path_to[2], 0, now + TRIB_UNUSED_NS + 1));
    trib_paths_closed(&paths, &path_to[1]);
    CHECK(trib_paths_least_recently_used(&paths) == NULL);
    CHECK(path_to[0].direct != NULL);
    trib_paths_free(&paths);
}

static void should_pause_longer_when_refused_again(void) {
    struct trib_paths paths;
    struct trib_path path = {.node = 5};
    int64_t now = 0;
    CHECK(trib_paths_init(&paths, 1, 1));
    for (int i = 0; i < 7; i++) {
        trib_paths_refused(&path, now);
        int64_t pause = TRIB_FIRST_PAUSE_NS << (i < 4 ? i : 4);
        CHECK(!trib_paths_note_use(&paths, &path, 1 << 20, now + pause - 1));
        CHECK(trib_paths_note_use(&paths, &path, 1 << 20, now + pause));
        now += pause;
    }
    CHECK(trib_paths_try_wait(&paths, now));
    CHECK(!trib_paths_try_wait(&paths, now + TRIB_WAIT_AGAIN_NS - 1));
    CHECK(trib_paths_try_wait(&paths, now + TRIB_WAIT_AGAIN_NS));
    trib_paths_free(&paths);
}

static void should_point_to_the_layout_when_another_node_is_here(trib_job misplaced) {
    static const char *const nodes[] = {"tributary-j-1", "tributary-j-x", "tributary-jj-0", "tributary-j-0-2"};
    char shm[] = "/tmp/tributary-unit-XXXXXX";
    char setting[64];
    char path[128];
    trib *job;
    CHECK(mkdtemp(shm) != NULL);
    snprintf(setting, sizeof setting, "shm.directory=%s", shm);
    const char *const settings[] = {"attach.timeout=1ms", setting, NULL};
    misplaced.settings = settings;
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        snprintf(path, sizeof path, "%s/%s", shm, nodes[i]);
        CHECK(mkdir(path, 0700) == 0);
        strcat(path, "/socket");
        FILE *file = fopen(path, "w");
        CHECK(file != NULL && fclose(file) == 0);
    }
    FAILS(trib_attach_as(&misplaced, &job), TRIB_ATTACH_FAILED, "The server of node 1 runs here: TRIBUTARY_LAYOUT has"
          " to place rank 0 as its launcher does");
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        snprintf(path, sizeof path, "%s/%s/socket", shm, nodes[i]);
        CHECK(remove(path) == 0);
        *strrchr(path, '/') = '\0';
        CHECK(remove(path) == 0);
    }
    CHECK(remove(shm) == 0);
}

static void should_refuse_a_job_that_is_not_described_well(void) {
    trib *job;
    trib_job good = {.job_id = "j", .secret = "0123456789abcdef", .secret_bytes = 16, .layout = "2"};
    trib_job short_secret = good;
    short_secret.secret_bytes = 15;
    FAILS(trib_attach_as(&short_secret, &job), TRIB_ATTACH_FAILED, "at least 16");
    trib_job bad_id = good;
    bad_id.job_id = "a/b";
    FAILS(trib_attach_as(&bad_id, &job), TRIB_ATTACH_FAILED, "letters");
    trib_job bad_rank = good;
    bad_rank.rank = 2;
    FAILS(trib_attach_as(&bad_rank, &job), TRIB_ATTACH_FAILED, "outside the job's 2 ranks");
    trib_job no_servers = good;
    no_servers.layout = "1,1";
    FAILS(trib_attach_as(&no_servers, &job), TRIB_ATTACH_FAILED, "TRIBUTARY_SERVERS");
    trib_job no_secret = good;
    no_secret.secret_file = "/nowhere/secret";
    FAILS(trib_attach_as(&no_secret, &job), TRIB_ATTACH_FAILED, "cannot read the secret in /nowhere/secret");
    const char *const settings[] = {"attach.timeout=1ms", NULL};
    good.settings = settings;
    FAILS(trib_attach_as(&good, &job), TRIB_ATTACH_FAILED, "no communication server");
    CHECK(strstr(trib_last_error()->message, "runs here") == NULL);
    should_point_to_the_layout_when_another_node_is_here(good);
    unsetenv("TRIBUTARY_SECRET");
    unsetenv("TRIBUTARY_SECRET_FILE");
    setenv("TRIBUTARY_JOB_ID", "unit", 1); /* otherwise this is a job of one rank, which needs no variables */
    FAILS(trib_attach(&job), TRIB_ATTACH_FAILED, "TRIBUTARY_SECRET or TRIBUTARY_SECRET_FILE is needed");
    setenv("TRIBUTARY_SECRET", "00112233445566778899aabbccddeeff", 1);
    FAILS(trib_attach(&job), TRIB_ATTACH_FAILED, "TRIBUTARY_LAYOUT is needed and not set");
    unsetenv("TRIBUTARY_SECRET");
    unsetenv("TRIBUTARY_JOB_ID");
}

static void should_walk_regions_in_any_pieces(void) {
    uint8_t memory[400];
    uint8_t packed[24];
    uint8_t again[24] = {0};
    trib_shape shape = {.block_bytes = 3, .levels = 2, .count = {4, 2}, .local_stride = {-7, 50}};
    for (int i = 0; i < 400; i++) {
        memory[i] = (uint8_t) i;
    }
    struct trib_region region;
    trib_region_shape(&region, memory + 100, &shape, shape.local_stride, 2);
    EQUAL(region.remaining, 24);
    for (int done = 0; done < 24; done += 5) {
        trib_region_gather(&region, packed + done, done + 5 > 24 ? 24 - done : 5);
    }
    for (int i = 0; i < 24; i++) {
        EQUAL(packed[i], (uint8_t) (100 + i % 3 - i / 3 % 4 * 7 + i / 12 * 50));
    }
    trib_region_shape(&region, memory + 100, &shape, shape.local_stride, 2);
    trib_region_scatter(&region, again, 24);
    trib_region_shape(&region, memory + 100, &shape, shape.local_stride, 2);
    trib_region_gather(&region, packed, 24);
    EQUAL(memcmp(packed, again, 24), 0);
}

/* ---- connecting ---- */

static struct sockaddr_in at(const char *host, int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t) port)};
    CHECK(inet_pton(AF_INET, host, &address.sin_addr) == 1);
    return address;
}

/** A socket that listens on the loopback interface at a port of its own. */
static int listener(int *port) {
    struct sockaddr_in address = at("127.0.0.1", 0);
    socklen_t length = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(bind(fd, (struct sockaddr *) &address, sizeof address) == 0 && listen(fd, 1) == 0);
    CHECK(getsockname(fd, (struct sockaddr *) &address, &length) == 0);
    *port = ntohs(address.sin_port);
    return fd;
}

static void should_try_every_address_of_a_name(void) {
    int port;
    int fd = listener(&port);
    struct trib_settings settings;
    OK(trib_settings_read(&settings, NULL));
    struct sockaddr_in hosts[3] = {at("127.0.0.2", port), at("127.0.0.3", port), at("127.0.0.1", port)};
    struct addrinfo addresses[3];
    for (int i = 0; i < 3; i++) {
        addresses[i] = (struct addrinfo) {.ai_family = AF_INET, .ai_addr = (struct sockaddr *) &hosts[i],
            .ai_addrlen = sizeof hosts[i], .ai_next = i < 2 ? &addresses[i + 1] : NULL};
    }
    struct trib_connection connection = {.fd = -1, .peer = "a-name:1",
        .deadline = trib_deadline_in(20 * TRIB_NS_PER_S, NULL)};
    bool refused = false;
    OK(trib_connection_try(&connection, addresses, &settings, &refused));
    trib_connection_close(&connection);
    addresses[1].ai_next = NULL; /* without the one that takes connections */
    refused = false;
    FAILS(trib_connection_try(&connection, addresses, &settings, &refused), TRIB_ATTACH_FAILED,
          "none of the addresses of a-name:1 takes a connection: 127.0.0.2, 127.0.0.3; ");
    CHECK(refused && connection.fd == -1);
    close(fd);
}

/* ---- silence ---- */

static void should_take_a_host_for_gone_only_when_it_has_something_to_answer(void) {
    enum { S = 1000000000 };
    struct trib_silence silence = {0};
    for (int64_t s = 0; s < 100; s++) {
        CHECK(!trib_silence_look(&silence, 4LL * S, 7, false, s * S)); /* nothing asked */
    }
    CHECK(!trib_silence_look(&silence, 4LL * S, 7, true, 100LL * S));
    CHECK(!trib_silence_look(&silence, 4LL * S, 8, true, 103LL * S)); /* an answer */
    CHECK(!trib_silence_look(&silence, 4LL * S, 8, true, 200LL * S)); /* nobody looked: that counts as one look */
    CHECK(!trib_silence_look(&silence, 4LL * S, 8, true, 201LL * S));
    CHECK(trib_silence_look(&silence, 4LL * S, 8, true, 202LL * S));
}

/** Reads nothing, is stopped, and yet its kernel answers. */
static int stopped_receiver(int listening, int64_t timeout_ns) {
    int child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        int fd = accept(listening, NULL, NULL);
        if (fd < 0 || !trib_watch_begin(fd, timeout_ns)) {
            _exit(1);
        }
        raise(SIGSTOP);
        _exit(0);
    }
    return child;
}

static void should_not_take_a_stopped_process_for_a_silent_host(void) {
    const int64_t timeout_ns = 5 * TRIB_NS_PER_S;
    int port;
    int listening = listener(&port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = at("127.0.0.1", port);
    struct trib_silence silence = {0};
    int probes = 0;
    socklen_t length = sizeof probes;
    static char bytes[1 << 16];
    int status;
    int child = stopped_receiver(listening, timeout_ns);
    CHECK(connect(fd, (struct sockaddr *) &address, sizeof address) == 0 && trib_watch_begin(fd, timeout_ns));
    CHECK(getsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, &length) == 0 && probes >= 3);
    CHECK(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
    while (send(fd, bytes, sizeof bytes, MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {
    }
    for (int look = 0; look < 8; look++) { /* its window is closed for twice the time-out */
        usleep((useconds_t) (timeout_ns / TRIB_LOOKS / 1000));
        CHECK(!trib_watch_check_silence(&silence, fd, timeout_ns, trib_now_ns()));
    }
    CHECK(send(fd, bytes, 1, MSG_DONTWAIT | MSG_NOSIGNAL) > 0 || errno == EAGAIN); /* it is still open */
    CHECK(kill(child, SIGKILL) == 0 && waitpid(child, &status, 0) == child);
    close(fd);
    close(listening);
}

static bool set_loopback(bool up) {
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = (short) (up ? IFF_UP : 0)};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool set = ioctl(fd, SIOCSIFFLAGS, &request) == 0;
    close(fd);
    return set;
}

enum { FOUND_GONE, FOUND_THERE, NO_NAMESPACE };

/** In a network of its own, whose only interface goes down: nothing that is sent comes anywhere. */
static int look_at_a_host_that_is_gone(int64_t timeout_ns) {
    int port;
    struct trib_silence silence = {0};
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0 || !set_loopback(true)) {
        return NO_NAMESPACE;
    }
    int listening = listener(&port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = at("127.0.0.1", port);
    CHECK(connect(fd, (struct sockaddr *) &address, sizeof address) == 0 && trib_watch_begin(fd, timeout_ns));
    CHECK(accept(listening, NULL, NULL) >= 0);
    CHECK(!trib_watch_check_silence(&silence, fd, timeout_ns, trib_now_ns()));
    CHECK(set_loopback(false) && send(fd, "x", 1, MSG_NOSIGNAL) == 1);
    for (int look = 0; look < 20 * TRIB_LOOKS; look++) {
        usleep((useconds_t) (timeout_ns / TRIB_LOOKS / 1000));
        if (trib_watch_check_silence(&silence, fd, timeout_ns, trib_now_ns())) {
            return look >= TRIB_LOOKS - 2 ? FOUND_GONE : FOUND_THERE;
        }
    }
    return FOUND_THERE;
}

static void should_take_a_host_for_gone_of_which_nothing_comes(void) {
    int status;
    int child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        _exit(look_at_a_host_that_is_gone(TRIB_NS_PER_S));
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    if (WEXITSTATUS(status) == NO_NAMESPACE) {
        puts("skipped: this user may not make a network namespace");
    } else {
        EQUAL(WEXITSTATUS(status), FOUND_GONE);
    }
}

static void print_layout(void) {
    for (int size = 1; size <= 9; size++) {
        struct trib_inbox_layout layout;
        trib_inbox_layout_set(&layout, size, 1000);
        printf("inbox.%d %d %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", size, layout.rounds,
               trib_inbox_bytes(&layout), trib_inbox_flag_offset(&layout, layout.rounds - 1, 3, 1),
               trib_inbox_chunk_offset(&layout, 0, 1, 0), trib_inbox_ack_offset(&layout, layout.rounds - 1, 1));
    }
    for (int64_t segment = 0; segment < 5; segment++) {
        printf("lock.%" PRId64 " %d %d\n", segment, trib_lock_of(segment << 32 | segment, 0),
               trib_lock_of(segment << 32 | segment, 123456789));
    }
    for (int capacity = 1; capacity < 2000; capacity = 3 * capacity + 1) {
        int slots = trib_notify_slots(capacity);
        printf("notify.%d %d %d %d\n", capacity, slots * TRIB_NOTIFY_ENTRY_BYTES, trib_notify_hash(7, slots),
               trib_notify_hash(123456, slots));
    }
}

/** routes LAYOUT [GROUPS SCOPE]...: first hops of some ranks to some nodes. */
static void print_routes(int count, char **arguments) {
    struct trib_topology topology;
    OK(trib_topology_parse(&topology, arguments[2]));
    for (int i = 3; i + 1 < count; i += 2) {
        struct trib_settings settings;
        struct trib_routes routes;
        const char *const assignments[] = {"cooperation.mode=forward", "cooperation.channel-bytes=70001", arguments[i],
            arguments[i + 1], NULL};
        OK(trib_settings_read(&settings, assignments));
        OK(trib_routes_set(&routes, &settings, &topology));
        printf("%s %s\n%" PRId64 "\n", arguments[i], strchr(arguments[i + 1], '=') + 1, routes.max_forwarded);
        for (int rank = 0; rank < topology.rank_count; rank += topology.rank_count / 40 + 1) {
            printf("%d:", rank);
            for (int node = 0; node < topology.node_count; node += topology.node_count / 40 + 1) {
                printf(" %d", trib_first_hop(&routes, rank, node));
            }
            puts("");
        }
        trib_routes_free(&routes);
    }
    trib_topology_free(&topology);
}

/** agreement LAYOUT [SETTING]...: what all processes of such a job must have alike. */
static void print_agreement(const char *const *arguments) {
    struct trib_topology topology;
    struct trib_settings settings;
    char text[TRIB_AGREEMENT_BYTES + 1];
    OK(trib_topology_parse(&topology, arguments[0]));
    OK(trib_settings_read(&settings, arguments + 1));
    trib_handshake_agreement(&settings, &topology, text);
    fputs(text, stdout);
    trib_topology_free(&topology);
}

/** A program that goes on after an attach that has failed. */
static void should_refuse_to_end_no_job(void) {
    FAILS(trib_abort(NULL, "no reason"), TRIB_INVALID_ARGUMENT, "needs a job");
    FAILS(trib_detach(NULL), TRIB_INVALID_ARGUMENT, "needs a job");
}

static int32_t calls_of(const trib *job, int kind) {
    const uint8_t *memory = trib_rank_block(&job->node, 0) + TRIB_CONTROL_RANK_LATENCIES_OFFSET
        + (size_t) kind * TRIB_LATENCY_KIND_BYTES;
    int32_t sum = 0;
    for (int bucket = 0; bucket < TRIB_LATENCY_BUCKETS; bucket++) {
        int32_t count = 0;
        memcpy(&count, memory + (size_t) bucket * sizeof count, sizeof count);
        sum += count;
    }
    return sum;
}

static void should_time_one_of_many_when_calls_are_short(void) {
    trib *job = calloc(1, sizeof *job);
    CHECK(job != NULL);
    job->node.control = calloc(1, TRIB_CONTROL_RANK_BLOCKS_OFFSET + TRIB_CONTROL_RANK_NOTIFY_OFFSET);
    CHECK(job->node.control != NULL);
    struct trib_latency_sample sample = {0};
    for (int i = 0; i < 100; i++) { /* long ones, whatever the machine does */
        trib_latency_sampled(job, TRIB_LATENCY_BARRIER, &sample, trib_now_ns() - 1000000000);
    }
    CHECK(calls_of(job, TRIB_LATENCY_BARRIER) == 100 && !sample.is_sampling);
    do { /* until the machine lets one be short */
        trib_latency_sampled(job, TRIB_LATENCY_COLLECTIVE, &sample, trib_now_ns());
    } while (!sample.is_sampling);
    int32_t counted = calls_of(job, TRIB_LATENCY_COLLECTIVE);
    int timed = 0;
    for (int i = 0; i < 16000; i++) {
        int64_t begin = trib_latency_begin(&sample);
        timed += begin != INT64_MIN;
        trib_latency_sampled(job, TRIB_LATENCY_COLLECTIVE, &sample, INT64_MIN);
    }
    CHECK(timed > 700 && timed < 1300);
    CHECK(calls_of(job, TRIB_LATENCY_COLLECTIVE) == counted);
    trib_latency_sampled(job, TRIB_LATENCY_COLLECTIVE, &sample, trib_now_ns() - 1000000000);
    CHECK(calls_of(job, TRIB_LATENCY_COLLECTIVE) == counted + 16 && !sample.is_sampling);
    free(job->node.control);
    free(job);
}

int main(int count, char **arguments) {
    if (count > 2 && strcmp(arguments[1], "routes") == 0) {
        print_routes(count, arguments);
        return 0;
    }
    if (count > 1 && strcmp(arguments[1], "layout") == 0) {
        print_layout();
        return 0;
    }
    if (count > 2 && strcmp(arguments[1], "topologies") == 0) {
        print_layouts(count - 2, arguments + 2);
        return 0;
    }
    if (count > 2 && strcmp(arguments[1], "agreement") == 0) {
        print_agreement((const char *const *) arguments + 2);
        return 0;
    }
    if (count > 2 && strcmp(arguments[1], "pairs") == 0) {
        print_pairs(count - 2, arguments + 2);
        return 0;
    }
    if (count > 1 && strcmp(arguments[1], "records") == 0) {
        print_records();
        return 0;
    }
    if (count > 1 && strcmp(arguments[1], "kernel-streams") == 0) {
        test_kernel_records();
        puts("kernel streams: all well");
        return 0;
    }
    if (count > 1 && strcmp(arguments[1], "kernel-keys") == 0) {
        print_kernel_keys();
        return 0;
    }
    should_hash_as_the_standards_do();
    should_time_one_of_many_when_calls_are_short();
    should_find_what_a_map_holds();
    test_topology();
    test_settings();
    should_connect_directly_for_what_is_large_or_repeated();
    should_give_up_what_was_not_used_for_longest();
    should_pause_longer_when_refused_again();
    should_refuse_a_job_that_is_not_described_well();
    should_refuse_to_end_no_job();
    should_walk_regions_in_any_pieces();
    should_try_every_address_of_a_name();
    should_take_a_host_for_gone_only_when_it_has_something_to_answer();
    should_not_take_a_stopped_process_for_a_silent_host();
    should_take_a_host_for_gone_of_which_nothing_comes();
    test_records();
    test_freed();
    test_last();
    test_progress();
    test_nodes();
    test_samples();
    test_servers();
    test_wait_slots();
    test_handshake();
    test_stripes();
    puts("unit: all well");
    return 0;
}
