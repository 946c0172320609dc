#include "ktls.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "rank/rank.h"
#include "sha256.h"

/* Of struct tls12_crypto_info_aes_gcm_128: version, cipher, iv, key, salt, sequence number. */
#define IV_AT (2 * (int) sizeof(uint16_t))
#define KEY_AT (IV_AT + TRIB_NONCE_BYTES - TRIB_KTLS_SALT_BYTES)
#define SALT_AT (KEY_AT + TRIB_KEY_BYTES)
_Static_assert(SALT_AT + TRIB_KTLS_SALT_BYTES == TRIB_KTLS_SEQUENCE_AT, "the sequence number is the last");

static const uint8_t close_notify[] = {TRIB_TLS_CLOSE_NOTIFY};
static const uint8_t key_update[] = {TRIB_TLS_KEY_UPDATE};

void trib_ktls_info(const uint8_t secret[TRIB_RECORD_SECRET_BYTES], uint8_t info[TRIB_KTLS_INFO_BYTES]) {
    uint8_t vector[TRIB_NONCE_BYTES];
    const uint16_t head[2] = {TRIB_TLS_1_3, TRIB_AES_GCM_128};
    memset(info, 0, TRIB_KTLS_INFO_BYTES);
    memcpy(info, head, sizeof head);
    trib_hkdf_expand(secret, TRIB_KEY_LABEL, info + KEY_AT, TRIB_KEY_BYTES);
    trib_hkdf_expand(secret, TRIB_VECTOR_LABEL, vector, sizeof vector);
    memcpy(info + SALT_AT, vector, TRIB_KTLS_SALT_BYTES);
    memcpy(info + IV_AT, vector + TRIB_KTLS_SALT_BYTES, sizeof vector - TRIB_KTLS_SALT_BYTES);
    explicit_bzero(vector, sizeof vector);
}

static int attach(int fd) {
    return setsockopt(fd, IPPROTO_TCP, TRIB_TCP_ULP, "tls", 3) == 0 ? 0 : errno;
}

/** Has the kernel use the key of a secret; 0 or an errno. */
static int install(int fd, int direction, struct trib_ktls_key *key) {
    uint8_t info[TRIB_KTLS_INFO_BYTES];
    trib_ktls_info(key->secret, info);
    int error = setsockopt(fd, TRIB_SOL_TLS, direction, info, sizeof info) == 0 ? 0 : errno;
    explicit_bzero(info, sizeof info);
    key->counted = 0;
    key->since = 0;
    return error;
}

static int install_next(int fd, int direction, struct trib_ktls_key *key) {
    trib_hkdf_expand(key->secret, TRIB_NEXT_LABEL, key->secret, sizeof key->secret);
    return install(fd, direction, key);
}

int trib_ktls_begin(struct trib_ktls *ktls, int fd, const uint8_t sending[TRIB_RECORD_SECRET_BYTES],
                    const uint8_t receiving[TRIB_RECORD_SECRET_BYTES]) {
    *ktls = (struct trib_ktls) {.renew_after = TRIB_KTLS_RENEW_AFTER};
    memcpy(ktls->sending.secret, sending, TRIB_RECORD_SECRET_BYTES);
    memcpy(ktls->receiving.secret, receiving, TRIB_RECORD_SECRET_BYTES);
    int error = attach(fd);
    error = error != 0 ? error : install(fd, TRIB_TLS_TX, &ktls->sending);
    return error != 0 ? error : install(fd, TRIB_TLS_RX, &ktls->receiving);
}

/** A connection of this process with itself, which lasts as long as the listener; -1 with errno. */
static int connect_to_self(int *listener) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof address;
    *listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool connected = *listener >= 0 && fd >= 0 && bind(*listener, (struct sockaddr *) &address, length) == 0
        && listen(*listener, 1) == 0 && getsockname(*listener, (struct sockaddr *) &address, &length) == 0
        && connect(fd, (struct sockaddr *) &address, length) == 0;
    int error = errno;
    if (!connected) {
        close(fd);
        close(*listener);
        errno = error;
        return -1;
    }
    return fd;
}

int trib_ktls_check(void) {
    static const char instead[] = "use network.encryption = aes-gcm, which needs nothing of the kernel";
    struct trib_ktls_key key = {.counted = 0};
    struct utsname system;
    uname(&system);
    int listener;
    int fd = connect_to_self(&listener);
    if (fd < 0) {
        return trib_fail(TRIB_ATTACH_FAILED, "network.encryption = ktls: the kernel of this machine could not be asked"
                         " for kTLS: %s; %s", strerror(errno), instead);
    }
    const char *problem = "has no kTLS: its module tls is not loaded (modprobe tls, as root, on every node), or it was"
        " built without CONFIG_TLS";
    int error = attach(fd);
    if (error == 0) {
        problem = "takes no TLS 1.3 with AES-128-GCM: it may lack CONFIG_CRYPTO_GCM";
        error = install(fd, TRIB_TLS_TX, &key);
        error = error != 0 ? error : install(fd, TRIB_TLS_RX, &key);
    }
    if (error == 0) {
        problem = "cannot renew the keys of kTLS; from Linux 6.14 on it can";
        error = install_next(fd, TRIB_TLS_TX, &key);
    }
    close(fd);
    close(listener);
    return error == 0 ? TRIB_OK
        : trib_fail(TRIB_ATTACH_FAILED, "network.encryption = ktls: the kernel of this machine (Linux %s) %s (%s); %s",
                    system.release, problem, strerror(error), instead);
}

/** Sends a record that is none of the stream's content; as sendmsg(2). */
static ssize_t send_control(int fd, uint8_t type, const uint8_t *content, size_t bytes) {
    union {
        struct cmsghdr head;
        uint8_t bytes[CMSG_SPACE(1)];
    } control = {.head = {.cmsg_level = TRIB_SOL_TLS, .cmsg_type = TRIB_RECORD_TYPE_TO_SET, .cmsg_len = CMSG_LEN(1)}};
    struct iovec vector = {.iov_base = (void *) (uintptr_t) content, .iov_len = bytes};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1, .msg_control = &control,
        .msg_controllen = sizeof control};
    *CMSG_DATA(&control.head) = type;
    return sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/** Receives the beginning of a record and its type, -1 if there is none; as recvmsg(2). */
static ssize_t receive_control(int fd, uint8_t *content, size_t bytes, int flags, int *type) {
    union {
        struct cmsghdr head;
        uint8_t bytes[CMSG_SPACE(1)];
    } control;
    struct iovec vector = {.iov_base = content, .iov_len = bytes};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1, .msg_control = &control,
        .msg_controllen = sizeof control};
    ssize_t count = recvmsg(fd, &message, flags | MSG_DONTWAIT);
    const struct cmsghdr *head = count < 0 ? NULL : CMSG_FIRSTHDR(&message);
    bool told = head != NULL && head->cmsg_level == TRIB_SOL_TLS && head->cmsg_type == TRIB_RECORD_TYPE_GOT;
    *type = told ? *CMSG_DATA(head) : -1;
    return count;
}

/** Asks the kernel how many records there have been under the key. */
static void count(int fd, int direction, struct trib_ktls_key *key) {
    uint8_t info[TRIB_KTLS_INFO_BYTES];
    socklen_t length = sizeof info;
    if (getsockopt(fd, TRIB_SOL_TLS, direction, info, &length) == 0) {
        key->counted = 0;
        for (int i = TRIB_KTLS_SEQUENCE_AT; i < TRIB_KTLS_INFO_BYTES; i++) {
            key->counted = key->counted << 8 | info[i];
        }
        key->since = 0;
        explicit_bzero(info, sizeof info);
    }
}

/** Takes the next key when there have been many records, and the socket takes the word of it; 0 or an errno. */
static int renew(struct trib_ktls *ktls, int fd) {
    if (ktls->sending.counted + ktls->sending.since < ktls->renew_after) {
        return 0;
    }
    count(fd, TRIB_TLS_TX, &ktls->sending);
    if (ktls->sending.counted < ktls->renew_after) {
        return 0;
    }
    if (send_control(fd, TRIB_TLS_HANDSHAKE, key_update, sizeof key_update) < 0) {
        return errno == EAGAIN || errno == EINTR ? 0 : errno; /* there is time until the next call */
    }
    return install_next(fd, TRIB_TLS_TX, &ktls->sending);
}

ssize_t trib_ktls_send(struct trib_ktls *ktls, int fd, const struct iovec *vectors, size_t count) {
    struct msghdr message = {.msg_iov = (struct iovec *) (uintptr_t) vectors, .msg_iovlen = count};
    ktls->sending.since++;
    for (size_t i = 0; i < count; i++) {
        ktls->sending.since += (int64_t) vectors[i].iov_len / TRIB_KTLS_RECORD_BYTES_AT_LEAST;
    }
    int error = renew(ktls, fd);
    if (error != 0) {
        errno = error;
        return -1;
    }
    return sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

int64_t trib_ktls_opened(const struct trib_ktls *ktls, int fd) {
    struct trib_ktls_key key = ktls->receiving;
    count(fd, TRIB_TLS_RX, &key);
    int64_t opened = ktls->opened + key.counted;
    explicit_bzero(&key, sizeof key);
    return opened;
}

static int refuse(const char **problem, const char *why) {
    *problem = why;
    errno = EBADMSG;
    return -1;
}

/** Takes a record without content, if there is one: 1; 0 when there is none, -1 when the stream cannot be read on. */
static int look(struct trib_ktls *ktls, int fd, const char **problem) {
    uint8_t content[16];
    int type;
    ssize_t bytes = receive_control(fd, content, sizeof content, MSG_PEEK, &type);
    if (bytes < 0 && (errno == EBADMSG || errno == EMSGSIZE || errno == EINVAL)) {
        return refuse(problem, TRIB_RECORD_CHANGED);
    }
    if (type != TRIB_TLS_ALERT && type != TRIB_TLS_HANDSHAKE) {
        return ktls->receiving.counted < TRIB_RECORD_MAX_PER_KEY ? 0
            : refuse(problem, "its sender has not taken another key in time");
    }
    bytes = receive_control(fd, content, sizeof content, 0, &type);
    if (type == TRIB_TLS_ALERT && bytes == sizeof close_notify
        && memcmp(content, close_notify, sizeof close_notify) == 0) {
        ktls->ended = true;
        return 1;
    }
    if (type == TRIB_TLS_HANDSHAKE && bytes == sizeof key_update
        && memcmp(content, key_update, sizeof key_update) == 0) {
        ktls->opened = trib_ktls_opened(ktls, fd);
        return install_next(fd, TRIB_TLS_RX, &ktls->receiving) == 0 ? 1 : refuse(problem, "the kernel refuses its key");
    }
    return refuse(problem, "it is of a type that means nothing here");
}

/**
 * The kernel stops at a record without content, and says only by EIO that it did, or nothing at all when it has looked
 * ahead while it filled a buffer. So, once there have been so many records that the next key may follow, it is looked
 * for before and after each read.
 */
ssize_t trib_ktls_receive(struct trib_ktls *ktls, int fd, void *to, size_t room, const char **problem) {
    if (ktls->problem != NULL) {
        return refuse(problem, ktls->problem);
    }
    if (ktls->receiving.counted >= ktls->renew_after && look(ktls, fd, problem) < 0) {
        return -1;
    }
    ssize_t bytes = ktls->ended ? 0 : recv(fd, to, room, MSG_DONTWAIT);
    if (bytes < 0) {
        if (errno == EAGAIN || errno == EINTR) {
            return -1;
        }
        int error = errno;
        int looked = look(ktls, fd, problem);
        if (looked < 0 || looked == 0) {
            errno = looked < 0 ? EBADMSG : error;
            return -1;
        }
        errno = EAGAIN;
        return ktls->ended ? 0 : -1;
    }
    if (bytes == 0 && !ktls->ended) {
        return refuse(problem, NULL);
    }
    ktls->receiving.since += bytes;
    if (ktls->receiving.counted + ktls->receiving.since >= ktls->renew_after) {
        count(fd, TRIB_TLS_RX, &ktls->receiving);
        if (ktls->receiving.counted >= ktls->renew_after && look(ktls, fd, problem) < 0) {
            ktls->problem = *problem; /* for the next call: what was read before is in order */
            *problem = NULL;
        }
    }
    return bytes;
}

void trib_ktls_end(int fd) {
    send_control(fd, TRIB_TLS_ALERT, close_notify, sizeof close_notify);
}
