#include "records.h"

#include <sys/socket.h>

#include "rank/rank.h"
#include "ktls.h"
#include "sha256.h"

#define STAGE_BYTES (TRIB_STAGED_RECORDS * TRIB_RECORD_MAX_BYTES)

/** Key of one direction, and how many records have used it. */
struct key {
    uint8_t secret[TRIB_RECORD_SECRET_BYTES];
    uint8_t vector[TRIB_NONCE_BYTES];
    void *context;
    int64_t records;
};

struct trib_records {
    const struct trib_crypto *crypto; /* NULL when the kernel makes the records, and most of this is not used */
    struct trib_ktls kernel;
    struct key sending;
    struct key receiving;
    int64_t records_per_key;
    int64_t opened; /* records so far */
    bool ended;     /* the other side has said so */
    char problem[160];
    uint8_t gathered[TRIB_RECORD_MAX_CONTENT];
    uint8_t content[TRIB_RECORD_MAX_CONTENT]; /* of the record opened last */
    int content_from;
    int content_to;
    uint8_t out[STAGE_BYTES];
    int out_from;
    int out_to;
    uint8_t in[STAGE_BYTES];
    int in_from;
    int in_to;
};

static bool key_begin(const struct trib_crypto *crypto, struct key *key, bool seals) {
    uint8_t bytes[TRIB_KEY_BYTES];
    trib_hkdf_expand(key->secret, TRIB_KEY_LABEL, bytes, sizeof bytes);
    trib_hkdf_expand(key->secret, TRIB_VECTOR_LABEL, key->vector, sizeof key->vector);
    key->records = 0;
    bool done = (seals ? crypto->encrypt_init : crypto->decrypt_init)(key->context, crypto->aes_128_gcm(), NULL, bytes,
                                                                      NULL) == 1;
    explicit_bzero(bytes, sizeof bytes);
    return done;
}

static bool key_next(const struct trib_crypto *crypto, struct key *key, bool seals) {
    trib_hkdf_expand(key->secret, TRIB_NEXT_LABEL, key->secret, sizeof key->secret);
    return key_begin(crypto, key, seals);
}

static void next_nonce(struct key *key, uint8_t nonce[TRIB_NONCE_BYTES]) {
    memcpy(nonce, key->vector, TRIB_NONCE_BYTES);
    for (int i = 0; i < 8; i++) {
        nonce[TRIB_NONCE_BYTES - 1 - i] ^= (uint8_t) (key->records >> (8 * i));
    }
    key->records++;
}

struct trib_records *trib_records_new(const struct trib_crypto *crypto, const uint8_t sending[TRIB_RECORD_SECRET_BYTES],
                                      const uint8_t receiving[TRIB_RECORD_SECRET_BYTES]) {
    struct trib_records *records = calloc(1, sizeof *records);
    if (records == NULL) {
        return NULL;
    }
    records->crypto = crypto;
    records->records_per_key = TRIB_RECORD_PER_KEY;
    memcpy(records->sending.secret, sending, TRIB_RECORD_SECRET_BYTES);
    memcpy(records->receiving.secret, receiving, TRIB_RECORD_SECRET_BYTES);
    records->sending.context = crypto->context_new();
    records->receiving.context = crypto->context_new();
    if (records->sending.context == NULL || records->receiving.context == NULL
        || !key_begin(crypto, &records->sending, true) || !key_begin(crypto, &records->receiving, false)) {
        trib_records_free(records);
        return NULL;
    }
    return records;
}

struct trib_records *trib_records_by_kernel(int fd, const uint8_t sending[TRIB_RECORD_SECRET_BYTES],
                                            const uint8_t receiving[TRIB_RECORD_SECRET_BYTES]) {
    struct trib_records *records = calloc(1, sizeof *records); /* of which little is ever touched */
    if (records != NULL) {
        int error = trib_ktls_begin(&records->kernel, fd, sending, receiving);
        if (error != 0) {
            trib_records_free(records);
            errno = error;
            return NULL;
        }
    }
    return records;
}

void trib_records_renew_after(struct trib_records *records, int64_t records_per_key) {
    records->records_per_key = records_per_key;
    records->kernel.renew_after = records_per_key;
}

void trib_records_free(struct trib_records *records) {
    if (records != NULL && records->crypto == NULL) {
        explicit_bzero(&records->kernel, sizeof records->kernel);
        free(records);
    } else if (records != NULL) {
        records->crypto->context_free(records->sending.context);
        records->crypto->context_free(records->receiving.context);
        explicit_bzero(records, sizeof *records);
        free(records);
    }
}

static void put_head(uint8_t head[TRIB_RECORD_HEAD_BYTES], uint32_t bits) {
    for (int i = 0; i < TRIB_RECORD_HEAD_BYTES; i++) {
        head[i] = (uint8_t) (bits >> (8 * i));
    }
}

static uint32_t get_head(const uint8_t head[TRIB_RECORD_HEAD_BYTES]) {
    uint32_t bits = 0;
    for (int i = 0; i < TRIB_RECORD_HEAD_BYTES; i++) {
        bits |= (uint32_t) head[i] << (8 * i);
    }
    return bits;
}

static bool is_head(uint32_t bits) {
    return (bits & ~(TRIB_RECORD_LENGTH_MASK | TRIB_RECORD_NEXT_KEY | TRIB_RECORD_LAST)) == 0
        && (bits & TRIB_RECORD_LENGTH_MASK) <= TRIB_RECORD_MAX_CONTENT;
}

size_t trib_records_seal(struct trib_records *records, const void *content, int bytes, bool last, uint8_t *record) {
    uint8_t nonce[TRIB_NONCE_BYTES];
    uint32_t bits = (uint32_t) bytes | (last ? TRIB_RECORD_LAST : 0);
    if (records->sending.records >= records->records_per_key) {
        bits |= TRIB_RECORD_NEXT_KEY;
        if (!key_next(records->crypto, &records->sending, true)) {
            return 0;
        }
    }
    put_head(record, bits);
    next_nonce(&records->sending, nonce);
    return trib_crypto_seal(records->crypto, records->sending.context, nonce, record, TRIB_RECORD_HEAD_BYTES, content,
                            bytes, record + TRIB_RECORD_HEAD_BYTES) ? (size_t) bytes + TRIB_RECORD_OVERHEAD : 0;
}

/** Sends what waits: 1 when nothing waits any more, 0 when the socket takes no more now, -1 with errno. */
static int drain(struct trib_records *records, int fd) {
    while (records->out_from < records->out_to) {
        ssize_t sent = send(fd, records->out + records->out_from, (size_t) (records->out_to - records->out_from),
                            MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0) {
            records->out_from += (int) sent;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            return 0;
        } else if (errno != EINTR) {
            return -1;
        }
    }
    records->out_from = 0;
    records->out_to = 0;
    return 1;
}

bool trib_records_flush(struct trib_records *records, int fd) {
    return records->crypto == NULL || drain(records, fd) != 0;
}

/** The bytes of the vectors after `done` bytes, at most a record of them; gathered where they are in pieces. */
static const uint8_t *gather(struct trib_records *records, const struct iovec *vectors, size_t count, size_t done,
                             int *bytes) {
    size_t i = 0;
    while (i < count && done >= vectors[i].iov_len) {
        done -= vectors[i++].iov_len;
    }
    *bytes = 0;
    if (i == count) {
        return NULL;
    }
    size_t first = vectors[i].iov_len - done;
    if (first >= TRIB_RECORD_MAX_CONTENT || i + 1 == count) {
        *bytes = first < TRIB_RECORD_MAX_CONTENT ? (int) first : TRIB_RECORD_MAX_CONTENT;
        return (const uint8_t *) vectors[i].iov_base + done;
    }
    for (; i < count && *bytes < TRIB_RECORD_MAX_CONTENT; i++) {
        size_t room = (size_t) (TRIB_RECORD_MAX_CONTENT - *bytes);
        size_t length = vectors[i].iov_len - done;
        length = length < room ? length : room;
        memcpy(records->gathered + *bytes, (const uint8_t *) vectors[i].iov_base + done, length);
        *bytes += (int) length;
        done = 0;
    }
    return records->gathered;
}

static int refuse(struct trib_records *records, const char *problem) {
    snprintf(records->problem, sizeof records->problem, "record %lld of an encrypted stream does not verify: %s",
             (long long) records->opened, problem);
    return -1;
}

/** Once a record did not verify, writing fails, too. */
static ssize_t send_by_kernel(struct trib_records *records, int fd, const struct iovec *vectors, size_t count) {
    ssize_t sent = trib_ktls_send(&records->kernel, fd, vectors, count);
    if (sent < 0 && errno == EBADMSG) {
        records->opened = trib_ktls_opened(&records->kernel, fd);
        refuse(records, TRIB_RECORD_CHANGED);
        errno = EBADMSG;
    }
    return sent;
}

ssize_t trib_records_send(struct trib_records *records, int fd, const struct iovec *vectors, size_t count) {
    ssize_t taken = 0;
    if (records->crypto == NULL) {
        return send_by_kernel(records, fd, vectors, count);
    }
    while (true) {
        int drained = drain(records, fd);
        if (drained <= 0) {
            if (drained == 0 && taken == 0) {
                errno = EAGAIN;
            }
            return taken > 0 ? taken : -1;
        }
        int bytes = 0;
        const uint8_t *content = gather(records, vectors, count, (size_t) taken, &bytes);
        if (bytes == 0) {
            return taken;
        }
        while (bytes > 0) {
            size_t length = trib_records_seal(records, content, bytes, false, records->out + records->out_to);
            if (length == 0) {
                errno = EIO;
                return -1;
            }
            records->out_to += (int) length;
            taken += bytes;
            bytes = 0;
            if (records->out_to + TRIB_RECORD_MAX_BYTES <= STAGE_BYTES) {
                content = gather(records, vectors, count, (size_t) taken, &bytes);
            }
        }
    }
}

void trib_records_end(struct trib_records *records, int fd) {
    if (records->crypto == NULL) {
        trib_ktls_end(fd);
    } else if (drain(records, fd) == 1) {
        records->out_to = (int) trib_records_seal(records, "", 0, true, records->out);
        drain(records, fd);
    }
}

const char *trib_records_problem(const struct trib_records *records) {
    return records->problem;
}

static void cut_off(struct trib_records *records, const char *where) {
    snprintf(records->problem, sizeof records->problem, "the connection was closed %s: the other side died, or the"
             " stream was cut off", where);
}

bool trib_records_readable(const struct trib_records *records) {
    if (records->crypto == NULL) {
        return records->kernel.problem != NULL;
    }
    int available = records->in_to - records->in_from;
    if (records->content_from < records->content_to) {
        return true;
    }
    if (available < TRIB_RECORD_HEAD_BYTES) {
        return false;
    }
    uint32_t bits = get_head(records->in + records->in_from);
    return records->ended || !is_head(bits)
        || available >= TRIB_RECORD_OVERHEAD + (int) (bits & TRIB_RECORD_LENGTH_MASK);
}

/** Opens the next record: 1, 0 when it is not there yet, -1 when it is none. */
static int open_next(struct trib_records *records) {
    uint8_t nonce[TRIB_NONCE_BYTES];
    if (!trib_records_readable(records)) {
        return 0;
    }
    uint8_t *head = records->in + records->in_from;
    uint32_t bits = get_head(head);
    int length = (int) (bits & TRIB_RECORD_LENGTH_MASK);
    if (records->ended) {
        return refuse(records, "it comes after the last one");
    }
    if (!is_head(bits)) {
        return refuse(records, "its head is none");
    }
    if ((bits & TRIB_RECORD_NEXT_KEY) == 0 && records->receiving.records >= TRIB_RECORD_MAX_PER_KEY) {
        return refuse(records, "its sender has not taken another key in time");
    }
    if ((bits & TRIB_RECORD_NEXT_KEY) != 0 && !key_next(records->crypto, &records->receiving, false)) {
        return refuse(records, "libcrypto refuses its key");
    }
    next_nonce(&records->receiving, nonce);
    if (!trib_crypto_open(records->crypto, records->receiving.context, nonce, head, TRIB_RECORD_HEAD_BYTES,
                          head + TRIB_RECORD_HEAD_BYTES, length, records->content)) {
        return refuse(records, TRIB_RECORD_CHANGED);
    }
    records->in_from += TRIB_RECORD_OVERHEAD + length;
    records->content_from = 0;
    records->content_to = length;
    records->opened++;
    records->ended = (bits & TRIB_RECORD_LAST) != 0;
    return 1;
}

/** Reads the socket, as recv(2). */
static ssize_t fill(struct trib_records *records, int fd) {
    memmove(records->in, records->in + records->in_from, (size_t) (records->in_to - records->in_from));
    records->in_to -= records->in_from;
    records->in_from = 0;
    ssize_t count = recv(fd, records->in + records->in_to, (size_t) (STAGE_BYTES - records->in_to), MSG_DONTWAIT);
    if (count > 0) {
        records->in_to += (int) count;
    } else if (count == 0 && !records->ended) {
        cut_off(records, records->in_to > 0 ? "within a record" : "without a last record");
        errno = EBADMSG;
        return -1;
    }
    return count;
}

static ssize_t receive_by_kernel(struct trib_records *records, int fd, void *to, size_t room) {
    const char *problem = NULL;
    ssize_t bytes = trib_ktls_receive(&records->kernel, fd, to, room, &problem);
    if (bytes < 0 && errno == EBADMSG && problem == NULL) {
        cut_off(records, "without a last record");
    } else if (bytes < 0 && errno == EBADMSG) {
        records->opened = trib_ktls_opened(&records->kernel, fd);
        refuse(records, problem);
        errno = EBADMSG;
    }
    return bytes;
}

ssize_t trib_records_receive(struct trib_records *records, int fd, void *to, size_t room) {
    size_t given = 0;
    bool has_read = false;
    if (records->problem[0] != '\0') {
        errno = EBADMSG;
        return -1;
    }
    if (records->crypto == NULL) {
        return receive_by_kernel(records, fd, to, room);
    }
    while (given < room) {
        size_t available = (size_t) (records->content_to - records->content_from);
        if (available > 0) {
            size_t length = available < room - given ? available : room - given;
            memcpy((uint8_t *) to + given, records->content + records->content_from, length);
            records->content_from += (int) length;
            given += length;
            continue;
        }
        int opened = open_next(records);
        if (opened < 0) {
            errno = EBADMSG;
            return -1;
        }
        if (opened > 0) {
            continue;
        }
        if (given > 0) {
            break;
        }
        if (has_read) {
            errno = EAGAIN;
            return -1;
        }
        ssize_t count = fill(records, fd);
        if (count <= 0) {
            return count;
        }
        has_read = true;
    }
    return (ssize_t) given;
}
