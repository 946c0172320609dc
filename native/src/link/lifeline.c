/*
 * The connection on which a rank hears that the job has failed, even while it computes, and on which its server hears
 * that the rank has died: the kernel closes it whatever kills the process. A thread sleeps on it.
 */
#include "links.h"

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wire/abort.h"
#include "wire/goodbye.h"
#include "wire/role.h"

#define STACK_BYTES (256 * 1024)

static void fail_with_reason(trib *job, struct trib_connection *connection, int length) {
    struct wire_messageHeader header;
    wire_messageHeader_wrap(&header, (char *) connection->buffer + TRIB_FRAME_LENGTH_BYTES, 0, 0,
                            TRIB_CONNECTION_BUFFER - TRIB_FRAME_LENGTH_BYTES);
    int id = wire_messageHeader_templateId(&header);
    size_t text_at = TRIB_FRAME_HEADER_BYTES + (size_t) wire_messageHeader_blockLength(&header) + sizeof(uint16_t);
    if (id != wire_abort_sbe_template_id() || text_at > (size_t) length) {
        trib_job_failed(job, "the communication server of node %d sent message %d on the lifeline", job->place.node,
                        id);
        return;
    }
    uint16_t text;
    memcpy(&text, connection->buffer + text_at - sizeof text, sizeof text);
    size_t available = (size_t) length - text_at;
    trib_job_failed(job, "%.*s", (int) (text < available ? text : available), (char *) connection->buffer + text_at);
}

void trib_server_gone(trib *job) {
    if (!job->settings.throws) {
        trib_hold_end(job);
        trib_sweep_job(job->node.directory);
        trib_let_end(job);
    }
    trib_job_failed(job, "the communication server of node %d is gone", job->place.node);
}

static void *watch(void *argument) {
    struct trib_connection *connection = argument;
    trib *job;
    memcpy(&job, connection->buffer, sizeof job);
    int length;
    bool heard = trib_connection_receive(connection, &length) == TRIB_OK;
    /* A call that cannot fail, for a failure is one whether the rank leaves or not. */
    __atomic_fetch_add(&job->calls.inside, 1, __ATOMIC_SEQ_CST);
    if (heard) {
        fail_with_reason(job, connection, length);
    }
    bool gone = !heard && !__atomic_load_n(&job->links->lifeline.leaving, __ATOMIC_ACQUIRE);
    if (gone) {
        trib_server_gone(job);
    }
    trib_call_end(&job);
    if (gone) { /* nothing is freed before this thread has ended, and no call waits for it */
        trib_sweep_job(job->node.directory);
    }
    free(connection);
    return NULL;
}

/** Signals are for the program's own threads. */
static int start(trib *job, struct trib_connection *connection) {
    sigset_t all;
    sigset_t before;
    pthread_attr_t attributes;
    memcpy(connection->buffer, &job, sizeof job);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    int error = pthread_create(&job->links->lifeline.thread, &attributes, watch, connection);
    if (error == EINVAL) { /* the thread-local data of the program, which is on the stack, needs more */
        error = pthread_create(&job->links->lifeline.thread, NULL, watch, connection);
    }
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

/** Sends a frame, of so many bytes after the header, if it can be sent at once. */
static bool send_frame(const trib *job, char *frame, uint64_t encoded) {
    int32_t length = (int32_t) (TRIB_FRAME_HEADER_BYTES + encoded);
    memcpy(frame, &length, sizeof length);
    return job->links->lifeline.open
        && send(job->links->lifeline.fd, frame, (size_t) length, MSG_NOSIGNAL | MSG_DONTWAIT) == length;
}

bool trib_lifeline_tell(trib *job, const char *reason) {
    char frame[TRIB_FRAME_MAX_FIXED_BYTES];
    struct wire_messageHeader header;
    struct wire_abort message;
    size_t text = strnlen(reason, TRIB_FRAME_MAX_REASON_BYTES);
    memset(frame, 0, sizeof frame);
    wire_abort_wrap_and_apply_header(&message, frame + TRIB_FRAME_LENGTH_BYTES, 0,
                                     sizeof frame - TRIB_FRAME_LENGTH_BYTES, &header);
    wire_abort_set_rank(&message, job->place.rank);
    wire_abort_set_node(&message, job->place.node);
    wire_abort_put_reason(&message, reason, (uint16_t) text);
    return send_frame(job, frame, wire_abort_encoded_length(&message));
}

void trib_lifeline_announce_goodbye(const trib *job) {
    char frame[TRIB_FRAME_MAX_FIXED_BYTES];
    struct wire_messageHeader header;
    struct wire_goodbye message;
    memset(frame, 0, sizeof frame);
    wire_goodbye_wrap_and_apply_header(&message, frame + TRIB_FRAME_LENGTH_BYTES, 0,
                                       sizeof frame - TRIB_FRAME_LENGTH_BYTES, &header);
    wire_goodbye_set_rank(&message, job->place.rank);
    send_frame(job, frame, wire_goodbye_encoded_length(&message));
}

int trib_lifeline_open(trib *job) {
    struct trib_connection *connection;
    TRIB_TRY(trib_links_connect_own(job, wire_role_LIFELINE, &connection));
    int status = trib_connection_join(connection);
    if (status != TRIB_OK) {
        trib_connection_close(connection);
        free(connection);
        return status;
    }
    job->links->lifeline.fd = connection->fd;
    job->links->lifeline.open = true;
    connection->job = NULL; /* whose failure is what it waits for */
    connection->waits_forever = true;
    int error = start(job, connection);
    if (error != 0) {
        free(connection); /* closed later: a lifeline that breaks before the server knows why is a death */
        return trib_fail(TRIB_SYSTEM, "cannot start the thread of the lifeline: %s", strerror(error));
    }
    job->links->lifeline.running = true;
    return TRIB_OK;
}

void trib_lifeline_close(trib *job) {
    if (job->links->lifeline.running) {
        __atomic_store_n(&job->links->lifeline.leaving, true, __ATOMIC_RELEASE);
        shutdown(job->links->lifeline.fd, SHUT_RDWR);
        pthread_join(job->links->lifeline.thread, NULL);
        job->links->lifeline.running = false;
    }
    if (job->links->lifeline.open) {
        close(job->links->lifeline.fd);
        job->links->lifeline.open = false;
    }
}
