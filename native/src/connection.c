#include "connection.h"

#include "sha256.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "wire/challenge.h"
#include "wire/hello.h"
#include "wire/refused.h"
#include "wire/response.h"
#include "wire/welcome.h"

static int await(struct trib_connection *connection, short events) {
    struct pollfd poller = {.fd = connection->fd, .events = events};
    while (true) {
        int64_t left_ns = connection->deadline_ns - trib_now_ns();
        if (left_ns <= 0) {
            return trib_fail(TRIB_ATTACH_FAILED, "no answer from %s in time (connect.timeout)", connection->peer);
        }
        bool forever = connection->deadline_ns == INT64_MAX;
        int ready = poll(&poller, 1, forever ? -1 : (int) (left_ns / 1000000) + 1);
        if (ready > 0) {
            return TRIB_OK;
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
    connection->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection->fd < 0 || connect(connection->fd, (struct sockaddr *) &address, sizeof address) != 0
        || fcntl(connection->fd, F_SETFL, O_NONBLOCK) != 0) {
        return trib_fail(TRIB_ATTACH_FAILED, "cannot connect to %s: %s", path, strerror(errno));
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
    int64_t deadline_ns = connection->deadline_ns;
    int status = TRIB_OK;
    int left = 0;
    char tried[320] = "";
    for (const struct addrinfo *address = addresses; address != NULL; address = address->ai_next) {
        left++;
    }
    for (const struct addrinfo *address = addresses; address != NULL; address = address->ai_next, left--) {
        char numeric[INET6_ADDRSTRLEN + 20] = "?";
        bool nobody = false;
        int64_t now_ns = trib_now_ns();
        connection->deadline_ns = now_ns + (deadline_ns - now_ns) / left;
        status = connect_address(connection, address, settings, &nobody);
        connection->deadline_ns = deadline_ns;
        if (status == TRIB_OK) {
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
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    int error = getaddrinfo(host, colon + 1, &hints, &found);
    if (error != 0) {
        return trib_fail(TRIB_ATTACH_FAILED, "the address %s cannot be resolved: %s", address, gai_strerror(error));
    }
    int status = trib_connection_try(connection, found, settings, refused);
    freeaddrinfo(found);
    return status;
}

int trib_connection_open(struct trib_connection *connection, const char *path, const char *address,
                         const struct trib_settings *settings, bool *refused) {
    connection->fd = -1;
    connection->refusal = -1;
    *refused = false;
    connection->deadline_ns = trib_now_ns() + settings->connect_timeout_ns;
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
}

/** Sends the frame in the buffer, whose message header and block are encoded. */
static int send_frame(struct trib_connection *connection, uint64_t bytes_after_header) {
    uint32_t length = (uint32_t) (TRIB_FRAME_HEADER_BYTES + bytes_after_header);
    uint32_t done = 0;
    memcpy(connection->buffer, &length, sizeof length);
    while (done < length) {
        ssize_t sent = send(connection->fd, connection->buffer + done, length - done, MSG_NOSIGNAL);
        if (sent >= 0) {
            done += (uint32_t) sent;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            int status = await(connection, POLLOUT);
            if (status != TRIB_OK) {
                return status;
            }
        } else if (errno != EINTR) {
            return trib_fail(TRIB_ATTACH_FAILED, "sending to %s failed: %s", connection->peer, strerror(errno));
        }
    }
    return TRIB_OK;
}

static int receive_bytes(struct trib_connection *connection, int from, int to) {
    while (from < to) {
        ssize_t count = recv(connection->fd, connection->buffer + from, (size_t) (to - from), 0);
        if (count > 0) {
            from += (int) count;
        } else if (count == 0) {
            return trib_fail(TRIB_ATTACH_FAILED, "%s closed the connection while it was set up", connection->peer);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            int status = await(connection, POLLIN);
            if (status != TRIB_OK) {
                return status;
            }
        } else if (errno != EINTR) {
            return trib_fail(TRIB_ATTACH_FAILED, "receiving from %s failed: %s", connection->peer, strerror(errno));
        }
    }
    return TRIB_OK;
}

int trib_connection_receive(struct trib_connection *connection, int *length) {
    int status = receive_bytes(connection, 0, TRIB_FRAME_LENGTH_BYTES);
    if (status != TRIB_OK) {
        return status;
    }
    int32_t frame;
    memcpy(&frame, connection->buffer, sizeof frame);
    if (frame < TRIB_FRAME_HEADER_BYTES || frame > TRIB_CONNECTION_BUFFER) {
        return trib_fail(TRIB_ATTACH_FAILED, "what answers at %s does not speak Tributary's protocol: frame of %d"
                         " bytes", connection->peer, frame);
    }
    *length = frame;
    return receive_bytes(connection, TRIB_FRAME_LENGTH_BYTES, frame);
}

static void add_text(struct trib_hmac *mac, const char *text) {
    uint8_t length = (uint8_t) strlen(text);
    trib_hmac_add(mac, &length, 1);
    trib_hmac_add(mac, text, length);
}

void trib_handshake_proof(const struct trib_place *place, const char *direction, int role,
                          const uint8_t client_nonce[TRIB_TOKEN_BYTES], const uint8_t server_nonce[TRIB_TOKEN_BYTES],
                          uint8_t proof[TRIB_TOKEN_BYTES]) {
    struct trib_hmac mac;
    uint32_t who[3] = {htonl((uint32_t) role), htonl((uint32_t) place->rank), htonl((uint32_t) place->node)};
    trib_hmac_begin(&mac, place->secret, place->secret_bytes);
    add_text(&mac, direction);
    add_text(&mac, place->job_id);
    trib_hmac_add(&mac, who, sizeof who);
    trib_hmac_add(&mac, client_nonce, TRIB_TOKEN_BYTES);
    trib_hmac_add(&mac, server_nonce, TRIB_TOKEN_BYTES);
    trib_hmac_end(&mac, proof);
}

static bool equal_in_constant_time(const uint8_t *a, const uint8_t *b, size_t bytes) {
    uint8_t difference = 0;
    for (size_t i = 0; i < bytes; i++) {
        difference |= (uint8_t) (a[i] ^ b[i]);
    }
    return difference == 0;
}

static char *message_area(struct trib_connection *connection) {
    return (char *) connection->buffer + TRIB_FRAME_LENGTH_BYTES;
}

#define MESSAGE_BYTES (TRIB_CONNECTION_BUFFER - TRIB_FRAME_LENGTH_BYTES)

/** Receives the message with that id and a block of at least so many bytes; anything else is a refusal. */
static int expect(struct trib_connection *connection, int template, uint64_t block_bytes) {
    int length = 0;
    int status = trib_connection_receive(connection, &length);
    if (status != TRIB_OK) {
        return status;
    }
    struct wire_messageHeader header;
    wire_messageHeader_wrap(&header, message_area(connection), 0, 0, MESSAGE_BYTES);
    int id = wire_messageHeader_templateId(&header);
    int schema = wire_messageHeader_schemaId(&header);
    uint64_t block = wire_messageHeader_blockLength(&header);
    uint64_t available = (uint64_t) length - TRIB_FRAME_HEADER_BYTES;
    if (schema == wire_refused_sbe_schema_id() && id == wire_refused_sbe_template_id()
        && block >= wire_refused_sbe_block_length() && block + 2 <= available) {
        struct wire_refused refused;
        wire_refused_wrap_for_decode(&refused, (char *) connection->buffer, TRIB_FRAME_HEADER_BYTES, block,
                                     wire_messageHeader_version(&header), (uint64_t) length);
        enum wire_refusalCode code = wire_refusalCode_NULL_VALUE;
        wire_refused_code(&refused, &code);
        connection->refusal = (int) code;
        uint64_t text = wire_refused_detail_length(&refused);
        text = text > available - block - 2 ? available - block - 2 : text;
        return trib_fail(TRIB_ATTACH_FAILED, "%s refused the connection: code %d, %.*s", connection->peer, (int) code,
                         (int) text, (char *) connection->buffer + TRIB_FRAME_HEADER_BYTES + block + 2);
    }
    if (schema != wire_refused_sbe_schema_id() || id != template || block < block_bytes || block > available) {
        return trib_fail(TRIB_ATTACH_FAILED, "what answers at %s does not speak Tributary's protocol: message %d of"
                         " schema %d, expected %d", connection->peer, id, schema, template);
    }
    return TRIB_OK;
}

/** Says why it hangs up, so that the server can tell its operator. */
static int refuse(struct trib_connection *connection, const char *job_id) {
    static const char detail[] = "the server has another secret";
    struct wire_messageHeader header;
    struct wire_refused refused;
    wire_refused_wrap_and_apply_header(&refused, message_area(connection), 0, MESSAGE_BYTES, &header);
    wire_refused_set_code(&refused, wire_refusalCode_WRONG_SECRET);
    wire_refused_put_detail(&refused, detail, sizeof detail - 1);
    send_frame(connection, wire_refused_encoded_length(&refused));
    return trib_fail(TRIB_ATTACH_FAILED, "what answers at %s does not know the secret of job %s: it is another job's"
                     " server or none of Tributary's", connection->peer, job_id);
}

int trib_connection_admit(struct trib_connection *connection, const struct trib_place *place, int role,
                          int *max_payload) {
    uint8_t client_nonce[TRIB_TOKEN_BYTES];
    uint8_t expected[TRIB_TOKEN_BYTES];
    struct wire_messageHeader header;
    if (getrandom(client_nonce, sizeof client_nonce, 0) != (ssize_t) sizeof client_nonce) {
        return trib_fail(TRIB_SYSTEM, "no random bytes: %s", strerror(errno));
    }
    struct wire_hello hello;
    char padded[TRIB_JOB_ID_BYTES] = {0};
    memcpy(padded, place->job_id, strlen(place->job_id));
    wire_hello_wrap_and_apply_header(&hello, message_area(connection), 0, MESSAGE_BYTES, &header);
    wire_hello_set_role(&hello, (enum wire_role) role);
    wire_hello_set_rank(&hello, place->rank);
    wire_hello_set_node(&hello, place->node);
    wire_hello_set_pid(&hello, getpid());
    wire_hello_put_jobId(&hello, padded);
    wire_hello_put_nonce(&hello, (const char *) client_nonce);
    int status = send_frame(connection, wire_hello_sbe_block_length());
    if (status == TRIB_OK) {
        status = expect(connection, wire_challenge_sbe_template_id(), wire_challenge_sbe_block_length());
    }
    if (status != TRIB_OK) {
        return status;
    }
    const uint8_t *server_nonce = connection->buffer + TRIB_FRAME_HEADER_BYTES
        + wire_challenge_nonce_encoding_offset();
    const uint8_t *proof = connection->buffer + TRIB_FRAME_HEADER_BYTES + wire_challenge_proof_encoding_offset();
    trib_handshake_proof(place, "server", role, client_nonce, server_nonce, expected);
    if (!equal_in_constant_time(expected, proof, sizeof expected)) {
        return refuse(connection, place->job_id);
    }
    trib_handshake_proof(place, "client", role, client_nonce, server_nonce, expected);
    struct wire_response response;
    wire_response_wrap_and_apply_header(&response, message_area(connection), 0, MESSAGE_BYTES, &header);
    wire_response_put_proof(&response, (const char *) expected);
    status = send_frame(connection, wire_response_sbe_block_length());
    if (status == TRIB_OK) {
        status = expect(connection, wire_welcome_sbe_template_id(), wire_welcome_sbe_block_length());
    }
    if (status == TRIB_OK) {
        struct wire_welcome welcome;
        wire_welcome_wrap_for_decode(&welcome, (char *) connection->buffer, TRIB_FRAME_HEADER_BYTES,
                                     wire_welcome_sbe_block_length(), wire_welcome_sbe_schema_version(),
                                     TRIB_CONNECTION_BUFFER);
        *max_payload = wire_welcome_maxPayload(&welcome);
    }
    return status;
}
