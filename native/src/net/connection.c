#include "connection.h"

#include "records.h"
#include "resolve.h"
#include "wire/joined.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int await(struct trib_connection *connection, short events) {
    struct pollfd poller = {.fd = connection->fd, .events = events};
    while (true) {
        TRIB_TRY(connection->job == NULL ? TRIB_OK : trib_check(connection->job));
        int timeout_ms = connection->waits_forever ? -1 : trib_deadline_look_ms(&connection->deadline);
        int ready = poll(&poller, 1, timeout_ms);
        if (ready > 0) {
            return TRIB_OK;
        }
        if (ready == 0 && timeout_ms == 0) {
            connection->unfinished = true;
            return trib_fail(TRIB_ATTACH_FAILED, "no answer from %s in time (connect.timeout)", connection->peer);
        }
        if (ready < 0 && errno != EINTR) {
            return trib_fail(TRIB_SYSTEM, "waiting for %s failed: %s", connection->peer, strerror(errno));
        }
    }
}

static int connect_unix(struct trib_connection *connection, const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        return trib_fail(TRIB_ATTACH_FAILED, "the path %s is too long for a socket, of at most %zu bytes:"
                         " choose a shorter shm.directory", path, sizeof address.sun_path - 1);
    }
    strcpy(address.sun_path, path);
    connection->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (connection->fd < 0) {
        return trib_fail(TRIB_SYSTEM, "cannot make a socket: %s", strerror(errno));
    }
    while (connect(connection->fd, (struct sockaddr *) &address, sizeof address) != 0) {
        if (errno != EAGAIN && errno != EINTR) {
            return trib_fail(TRIB_ATTACH_FAILED, "cannot connect to %s: %s", path, strerror(errno));
        }
        TRIB_TRY(connection->job == NULL ? TRIB_OK : trib_check(connection->job));
        /* Many connections wait to be accepted; nothing but time tells when there is room again. */
        if (trib_deadline_left(&connection->deadline) <= 0) {
            connection->unfinished = true;
            return trib_fail(TRIB_ATTACH_FAILED, "the communication server at %s accepts no connection in time"
                             " (connect.timeout): look whether it was stopped", path);
        }
        trib_park(TRIB_ACCEPT_LOOK_NS);
    }
    return TRIB_OK;
}

/** Waits for a connection that has been begun; *refused when nobody listens, so that trying again may help. */
static int finish_connect(struct trib_connection *connection, bool *refused) {
    int error = 0;
    socklen_t length = sizeof error;
    int status = await(connection, POLLOUT);
    if (status == TRIB_OK && getsockopt(connection->fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0) {
        error = errno;
    }
    *refused = error == ECONNREFUSED;
    connection->unfinished |= error == ETIMEDOUT;
    return status != TRIB_OK || error == 0 ? status
        : trib_fail(TRIB_ATTACH_FAILED, "cannot connect to %s: %s", connection->peer, strerror(error));
}

static int connect_address(struct trib_connection *connection, const struct addrinfo *address,
                           const struct trib_settings *settings, bool *refused) {
    int one = 1;
    connection->fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (connection->fd < 0) {
        return trib_fail(TRIB_SYSTEM, "cannot make a socket: %s", strerror(errno));
    }
    setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (settings->socket_buffer > 0) {
        int bytes = (int) settings->socket_buffer;
        setsockopt(connection->fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
        setsockopt(connection->fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    }
    if (connect(connection->fd, address->ai_addr, address->ai_addrlen) == 0) {
        return TRIB_OK;
    }
    if (errno == EINPROGRESS) {
        return finish_connect(connection, refused);
    }
    *refused = errno == ECONNREFUSED;
    return trib_fail(TRIB_ATTACH_FAILED, "cannot connect to %s: %s", connection->peer, strerror(errno));
}

int trib_connection_try(struct trib_connection *connection, const struct addrinfo *addresses,
                        const struct trib_settings *settings, bool *refused) {
    struct trib_deadline all = connection->deadline;
    int status = TRIB_OK;
    int left = 0;
    char tried[320] = "";
    for (const struct addrinfo *address = addresses; address != NULL; address = address->ai_next) {
        left++;
    }
    for (const struct addrinfo *address = addresses; address != NULL; address = address->ai_next, left--) {
        char numeric[INET6_ADDRSTRLEN + 20] = "?";
        bool nobody = false;
        connection->deadline = trib_deadline_in(trib_deadline_left(&all) / left, &all);
        status = connect_address(connection, address, settings, &nobody);
        connection->deadline = all;
        if (status == TRIB_OK) {
            connection->unfinished = false; /* as those before may have been */
            *refused = false;
            return TRIB_OK;
        }
        *refused |= nobody; /* there a server may still come */
        trib_connection_close(connection);
        getnameinfo(address->ai_addr, address->ai_addrlen, numeric, sizeof numeric, NULL, 0, NI_NUMERICHOST);
        size_t length = strlen(tried);
        snprintf(tried + length, sizeof tried - length, "%s%s", length == 0 ? "" : ", ", numeric);
    }
    return addresses->ai_next == NULL ? status
        : trib_fail(status, "none of the addresses of %.100s takes a connection: %s; the last one: %s",
                    connection->peer, tried, trib_last_error()->message);
}

/** The time of a name service is not that of the server; so looking up may take as long as all attempts. */
static int look_up(struct trib_connection *connection, const char *host, const char *service,
                   const struct trib_settings *settings, struct addrinfo **found) {
    struct trib_deadline *whole = connection->deadline.whole;
    bool temporary = false;
    int status = trib_resolve(host, service, whole != NULL ? whole : &connection->deadline, connection->job,
                              getaddrinfo, &temporary, found);
    connection->unfinished = temporary;
    connection->deadline = trib_deadline_in(settings->connect_timeout_ns, whole);
    return status;
}

static int connect_tcp(struct trib_connection *connection, const char *address, const struct trib_settings *settings,
                       bool *refused) {
    char host[TRIB_SERVER_NAME_BYTES];
    const char *colon = strrchr(address, ':');
    if (colon == NULL || colon == address) {
        return trib_fail(TRIB_ATTACH_FAILED, "'%s' is not host:port or [IPv6 address]:port", address);
    }
    size_t length = (size_t) (colon - address);
    bool brackets = address[0] == '[' && colon[-1] == ']';
    snprintf(host, sizeof host, "%.*s", (int) (brackets ? length - 2 : length), brackets ? address + 1 : address);
    struct addrinfo *found = NULL;
    int status = look_up(connection, host, colon + 1, settings, &found);
    if (status == TRIB_OK) {
        status = trib_connection_try(connection, found, settings, refused);
        freeaddrinfo(found);
    }
    return status;
}

int trib_connection_open(struct trib_connection *connection, const char *path, const char *address,
                         const struct trib_settings *settings, const trib *job, struct trib_deadline *whole,
                         bool *refused) {
    connection->fd = -1;
    connection->job = job;
    connection->refusal = -1;
    connection->records = NULL;
    *refused = false;
    connection->unfinished = false;
    connection->waits_forever = false;
    connection->deadline = trib_deadline_in(settings->connect_timeout_ns, whole);
    snprintf(connection->peer, sizeof connection->peer, "%.*s", (int) sizeof connection->peer - 1,
             path != NULL ? path : address);
    int status = path != NULL ? connect_unix(connection, path)
        : connect_tcp(connection, address, settings, refused);
    if (status != TRIB_OK) {
        trib_connection_close(connection);
    }
    return status;
}

void trib_connection_close(struct trib_connection *connection) {
    if (connection->fd >= 0) {
        close(connection->fd);
        connection->fd = -1;
    }
    trib_records_free(connection->records);
    connection->records = NULL;
}

static int send_bytes(struct trib_connection *connection, const void *bytes, size_t length) {
    struct trib_records *records = connection->records;
    size_t done = 0;
    while (done < length) {
        struct iovec rest = {.iov_base = (char *) bytes + done, .iov_len = length - done};
        ssize_t sent = records != NULL ? trib_records_send(records, connection->fd, &rest, 1)
            : send(connection->fd, rest.iov_base, rest.iov_len, MSG_NOSIGNAL);
        if (sent >= 0) {
            done += (size_t) sent;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            TRIB_TRY(await(connection, POLLOUT));
        } else if (errno != EINTR) {
            connection->unfinished = true;
            return trib_fail(TRIB_ATTACH_FAILED, "sending to %s failed: %s", connection->peer, strerror(errno));
        }
    }
    while (records != NULL && !trib_records_flush(records, connection->fd)) {
        TRIB_TRY(await(connection, POLLOUT));
    }
    return TRIB_OK;
}

/** Sends what the handshake has to say. */
static int send_reply(struct trib_connection *connection) {
    return send_bytes(connection, connection->handshake.reply, connection->handshake.reply_bytes);
}

static int receive_bytes(struct trib_connection *connection, int from, int to) {
    while (from < to) {
        ssize_t count = recv(connection->fd, connection->buffer + from, (size_t) (to - from), 0);
        if (count > 0) {
            from += (int) count;
        } else if (count == 0) {
            connection->unfinished = true;
            return trib_fail(TRIB_ATTACH_FAILED, "%s closed the connection while it was set up", connection->peer);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            TRIB_TRY(await(connection, POLLIN));
        } else if (errno != EINTR) {
            connection->unfinished = true;
            return trib_fail(TRIB_ATTACH_FAILED, "receiving from %s failed: %s", connection->peer, strerror(errno));
        }
    }
    return TRIB_OK;
}

int trib_connection_receive(struct trib_connection *connection, int *length) {
    TRIB_TRY(receive_bytes(connection, 0, TRIB_FRAME_LENGTH_BYTES));
    int32_t frame;
    memcpy(&frame, connection->buffer, sizeof frame);
    if (frame < TRIB_FRAME_HEADER_BYTES || frame > TRIB_CONNECTION_BUFFER) {
        return trib_fail(TRIB_ATTACH_FAILED, "what answers at %s does not speak Tributary's protocol: frame of %d"
                         " bytes", connection->peer, frame);
    }
    *length = frame;
    return receive_bytes(connection, TRIB_FRAME_LENGTH_BYTES, frame);
}

/** A farewell may not arrive; what ended the handshake is what counts. */
static void say_farewell(struct trib_connection *connection) {
    trib_error *reason = connection->handshake.reply_bytes == 0 ? NULL : trib_error_copy();
    if (reason != NULL) {
        send_reply(connection);
        trib_error_raise(reason);
    }
}

int trib_connection_admit(struct trib_connection *connection, const struct trib_place *place, int role, int wanted,
                          int *max_payload) {
    struct trib_handshake *handshake = &connection->handshake;
    uint8_t nonce[TRIB_TOKEN_BYTES];
    if (getrandom(nonce, sizeof nonce, 0) != (ssize_t) sizeof nonce) {
        return trib_fail(TRIB_SYSTEM, "no random bytes: %s", strerror(errno));
    }
    *handshake = (struct trib_handshake) {.place = place, .where = connection->peer,
        .role = role, .wanted = wanted, .pid = getpid()};
    trib_handshake_begin(handshake, nonce);
    while (handshake->state != TRIB_HANDSHAKE_ADMITTED) {
        int length = 0;
        TRIB_TRY(send_reply(connection));
        TRIB_TRY(trib_connection_receive(connection, &length));
        int status = trib_handshake_receive(handshake, connection->buffer, (size_t) length);
        if (status != TRIB_OK) {
            say_farewell(connection);
            connection->refusal = handshake->refusal;
            return status;
        }
    }
    *max_payload = handshake->max_payload;
    return TRIB_OK;
}

int trib_connection_encrypt(struct trib_connection *connection, const struct trib_crypto *crypto) {
    uint8_t sending[TRIB_TOKEN_BYTES];
    uint8_t receiving[TRIB_TOKEN_BYTES];
    trib_handshake_secret(&connection->handshake, true, sending);
    trib_handshake_secret(&connection->handshake, false, receiving);
    connection->records = crypto == NULL ? trib_records_by_kernel(connection->fd, sending, receiving)
        : trib_records_new(crypto, sending, receiving);
    explicit_bzero(sending, sizeof sending);
    explicit_bzero(receiving, sizeof receiving);
    return connection->records != NULL ? TRIB_OK
        : crypto == NULL ? trib_fail(TRIB_ATTACH_FAILED, "the kernel refuses to encrypt the connection to %s (kTLS):"
                                     " %s", connection->peer, strerror(errno))
        : trib_fail(TRIB_NO_MEMORY, "no memory for an encrypted connection to %s, or libcrypto refuses AES-128-GCM",
                    connection->peer);
}

int trib_connection_join(struct trib_connection *connection) {
    char frame[TRIB_FRAME_HEADER_BYTES];
    int32_t length = sizeof frame;
    struct wire_messageHeader header;
    struct wire_joined message;
    memcpy(frame, &length, sizeof length);
    wire_joined_wrap_and_apply_header(&message, frame + TRIB_FRAME_LENGTH_BYTES, 0,
                                      sizeof frame - TRIB_FRAME_LENGTH_BYTES, &header);
    return send_bytes(connection, frame, sizeof frame);
}
