#include "linked.h"

#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>

#include "wire/ack.h"
#include "wire/data.h"
#include "wire/done.h"
#include "wire/messageHeader.h"

trib *job;
struct trib_link *link_to[SERVERS];
int server[SERVERS];
int lifeline_server;
uint8_t large[LARGE];
uint8_t got_rid_of[64 << 10];
const char *const ADDRESSES = "127.0.0.1:1,127.0.0.1:1,127.0.0.1:1,127.0.0.1:1";

/** Once, for it takes long with a sanitizer. */
static void make_large(void) {
    static bool is_made;
    for (int i = 0; i < LARGE && !is_made; i++) {
        large[i] = (uint8_t) (i * 7 + i / 251);
    }
    is_made = true;
}

void begin(const char *servers, const char *const *more) {
    const char *settings[10] = {"job.on-failure=throw", "connect.timeout=700ms", "attach.timeout=700ms"};
    for (int i = 3; more != NULL && *more != NULL; i++) {
        settings[i] = *more++;
    }
    make_large();
    job = calloc(1, sizeof *job);
    CHECK(job != NULL);
    OK(trib_settings_read(&job->settings, settings));
    OK(trib_topology_parse(&job->place.topology, "1,1,1,1"));
    snprintf(job->place.job_id, sizeof job->place.job_id, "none");
    job->place.secret = calloc(1, 32);
    job->place.secret_bytes = 32;
    job->place.servers = strdup(servers);
    job->attached = true;
    pthread_mutex_init(&job->lock, NULL);
    OK(trib_links_init(job));
}

void connect_all(void) {
    job->links->all = calloc(SERVERS, sizeof(struct trib_link *));
    job->links->capacity = SERVERS;
    for (int node = 0; node < SERVERS; node++) {
        int ends[2];
        CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
        link_to[node] = trib_link_new(job);
        CHECK(link_to[node] != NULL);
        trib_link_begin(link_to[node], node, ends[0], NULL, false, LARGE);
        CHECK(trib_links_watch(job->links, ends[0], link_to[node]));
        CHECK(trib_map_put(&job->links->servers, node, (intptr_t) link_to[node]));
        job->links->all[job->links->count++] = link_to[node];
        server[node] = ends[1];
    }
    job->links->local = link_to[0];
    int ends[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
    job->links->lifeline.fd = ends[0];
    job->links->lifeline.open = true;
    lifeline_server = ends[1];
}

void finish(bool connected) {
    for (int node = 0; connected && node < SERVERS; node++) {
        close(server[node]);
    }
    if (connected) {
        close(lifeline_server);
    }
    trib_lifeline_close(job);
    trib_links_free(job);
    trib_place_free(&job->place);
    pthread_mutex_destroy(&job->lock);
    free(job->failure.reason);
    free(job);
}

bool sees(const bool *flag) {
    trib_links_lock(job->links);
    bool value = *flag;
    trib_links_unlock(job->links);
    return value;
}

void await(const bool *flag) {
    while (!sees(flag)) {
        usleep(200);
    }
}

void receive(int fd, uint8_t *to, size_t bytes) {
    for (size_t done = 0; done < bytes;) {
        struct pollfd poller = {.fd = fd, .events = POLLIN};
        CHECK(poll(&poller, 1, -1) == 1);
        ssize_t count = recv(fd, to + done, bytes - done, 0);
        CHECK(count > 0);
        done += (size_t) count;
    }
}

void receive_large(int node) {
    uint8_t got[LARGE / 1024];
    for (int at = 0; at < LARGE; at += (int) sizeof got) {
        receive(server[node], got, sizeof got);
        EQUAL(memcmp(got, large + at, sizeof got), 0);
    }
}

void fill(int fd) {
    while (send(fd, large, LARGE / 1024, MSG_NOSIGNAL | MSG_DONTWAIT) > 0) {
    }
    while (send(fd, large, 1, MSG_NOSIGNAL | MSG_DONTWAIT) > 0) {
    }
    CHECK(errno == EAGAIN);
}

int receive_frame(int fd) {
    uint8_t frame[1024];
    int32_t length;
    struct wire_messageHeader header;
    receive(fd, frame, TRIB_FRAME_LENGTH_BYTES);
    memcpy(&length, frame, sizeof length);
    CHECK(length >= TRIB_FRAME_HEADER_BYTES && length <= (int32_t) sizeof frame);
    receive(fd, frame + TRIB_FRAME_LENGTH_BYTES, (size_t) length - TRIB_FRAME_LENGTH_BYTES);
    wire_messageHeader_wrap(&header, (char *) frame, TRIB_FRAME_LENGTH_BYTES, 0, sizeof frame);
    return wire_messageHeader_templateId(&header);
}

static void send_frame(int fd, char *frame, int64_t block_bytes) {
    int32_t length = TRIB_FRAME_HEADER_BYTES + (int32_t) block_bytes;
    memcpy(frame, &length, sizeof length);
    EQUAL(send(fd, frame, (size_t) length, MSG_NOSIGNAL), length);
}

void acknowledge(int fd, int64_t executed) {
    char frame[100] = {0};
    struct wire_messageHeader header;
    struct wire_ack ack;
    wire_ack_wrap_and_apply_header(&ack, frame + TRIB_FRAME_LENGTH_BYTES, 0, sizeof frame - TRIB_FRAME_LENGTH_BYTES,
                                   &header);
    wire_ack_set_executed(&ack, executed);
    send_frame(fd, frame, wire_ack_sbe_block_length());
}

void answer_done(int fd, int64_t request) {
    char frame[100] = {0};
    struct wire_messageHeader header;
    struct wire_done done;
    wire_done_wrap_and_apply_header(&done, frame + TRIB_FRAME_LENGTH_BYTES, 0, sizeof frame - TRIB_FRAME_LENGTH_BYTES,
                                    &header);
    wire_done_set_requestId(&done, request);
    send_frame(fd, frame, wire_done_sbe_block_length());
}

void answer_data(int fd, int64_t request, const void *bytes, int64_t count) {
    char frame[100] = {0};
    struct wire_messageHeader header;
    struct wire_data data;
    wire_data_wrap_and_apply_header(&data, frame + TRIB_FRAME_LENGTH_BYTES, 0, sizeof frame - TRIB_FRAME_LENGTH_BYTES,
                                    &header);
    wire_data_set_requestId(&data, request);
    int64_t block = (int64_t) wire_data_sbe_block_length();
    CHECK(TRIB_FRAME_HEADER_BYTES + block + count <= (int64_t) sizeof frame);
    memcpy(frame + TRIB_FRAME_HEADER_BYTES + block, bytes, (size_t) count);
    send_frame(fd, frame, block + count);
}

void add_unused(int count) {
    for (int i = 0; i < count; i++) {
        int ends[2];
        CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
        struct trib_link *link = trib_link_new(job);
        CHECK(link != NULL);
        trib_link_begin(link, SERVERS + i, ends[0], NULL, false, LARGE);
        CHECK(trib_links_watch(job->links, ends[0], link));
        job->links->all[job->links->count++] = link; /* the other end is closed with the process */
    }
}
