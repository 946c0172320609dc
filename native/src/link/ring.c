#include "ring.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "links.h"
#include "wire/messageHeader.h"
#include "wire/wake.h"

struct trib_ring {
    uint8_t *file;
    size_t file_bytes;
    uint8_t *memory; /* of this rank's ring */
    int64_t capacity;
    int64_t tail;
    int64_t head; /* as it was seen last */
    int32_t woken; /* the server's latest sleep that this rank has ended */
    size_t wake_sent; /* of a wake-up that the socket did not take as a whole */
    char problem[128]; /* empty as long as there is none */
};

static int32_t *file_int(const uint8_t *file, size_t offset) {
    return (int32_t *) (void *) (file + offset);
}

static int64_t *word(const struct trib_ring *ring, size_t offset) {
    return (int64_t *) (void *) (ring->memory + offset);
}

/** Sends a wake-up, or the rest of one. A full socket holds others, which wake a server that was stopped. */
static bool wake(struct trib_link *link) {
    char frame[TRIB_FRAME_HEADER_BYTES];
    int32_t length = sizeof frame;
    size_t *done = &link->ring->wake_sent;
    struct wire_messageHeader header;
    struct wire_wake message;
    memcpy(frame, &length, sizeof length);
    wire_wake_wrap_and_apply_header(&message, frame + TRIB_FRAME_LENGTH_BYTES, 0,
                                    sizeof frame - TRIB_FRAME_LENGTH_BYTES, &header);
    ssize_t sent;
    do {
        sent = send(link->fd, frame + *done, sizeof frame - *done, MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (sent < 0 && errno == EINTR);
    *done = (*done + (sent < 0 ? 0 : (size_t) sent)) % sizeof frame;
    return sent >= 0 || errno == EAGAIN;
}

static int check_file(const trib *job, struct trib_ring *ring) {
    int version = 0;
    int64_t magic = 0;
    int ranks = 0;
    if (ring->file_bytes >= TRIB_RINGS_FIRST_OFFSET) {
        /* Partner: the release store by which the server completes the file. */
        version = __atomic_load_n(file_int(ring->file, TRIB_RINGS_VERSION_OFFSET), __ATOMIC_ACQUIRE);
        memcpy(&magic, ring->file, sizeof magic);
        /* Each is read once: others can write there at any time. */
        ranks = __atomic_load_n(file_int(ring->file, TRIB_RINGS_LOCAL_RANKS_OFFSET), __ATOMIC_RELAXED);
        ring->capacity = __atomic_load_n(file_int(ring->file, TRIB_RINGS_RING_BYTES_OFFSET), __ATOMIC_RELAXED);
    }
    int64_t needed = TRIB_RINGS_FIRST_OFFSET + ranks * (TRIB_RING_DATA_OFFSET + ring->capacity);
    if (magic != TRIB_RINGS_MAGIC || version != TRIB_RINGS_VERSION || ranks != job->node.rank_count
        || ring->capacity <= 0 || (ring->capacity & (ring->capacity - 1)) != 0
        || needed != (int64_t) ring->file_bytes) {
        return trib_fail(TRIB_ATTACH_FAILED, "%s/" TRIB_RINGS_FILE " holds no rings of version %d for %d ranks:"
                         " %zu bytes, magic %llx, version %d, %d ranks; rank and server must be of one release",
                         job->node.directory, TRIB_RINGS_VERSION, job->node.rank_count, ring->file_bytes,
                         (unsigned long long) magic, version, ranks);
    }
    return TRIB_OK;
}

int trib_ring_open(struct trib_link *link) {
    trib *job = link->job;
    char path[PATH_MAX + 8];
    snprintf(path, sizeof path, "%s/" TRIB_RINGS_FILE, job->node.directory);
    if (access(path, F_OK) != 0) {
        return TRIB_OK;
    }
    struct trib_ring *ring = calloc(1, sizeof *ring);
    if (ring == NULL) {
        return trib_fail(TRIB_NO_MEMORY, "no memory for a ring");
    }
    int status = trib_node_map(job, TRIB_RINGS_FILE, &ring->file, &ring->file_bytes);
    if (status == TRIB_OK) {
        status = check_file(job, ring);
    }
    if (status != TRIB_OK) {
        trib_ring_close(ring);
        return status;
    }
    ring->memory = ring->file + TRIB_RINGS_FIRST_OFFSET
        + job->node.index * (TRIB_RING_DATA_OFFSET + ring->capacity);
    /* It is empty, and goes on where this rank may have ended before it tried again to attach. */
    ring->tail = __atomic_load_n(word(ring, TRIB_RING_TAIL_OFFSET), __ATOMIC_ACQUIRE);
    ring->head = ring->tail;
    link->ring = ring;
    return wake(link) ? TRIB_OK : trib_link_broke(link, "%s", strerror(errno));
}

void trib_ring_close(struct trib_ring *ring) {
    if (ring != NULL) {
        trib_node_unmap(ring->file, ring->file_bytes);
        free(ring);
    }
}

/** Looks what the server has taken since; false, with errno, when its head is one that cannot be. */
static bool look(struct trib_link *link) {
    struct trib_ring *ring = link->ring;
    /* Read once. Partner: the release store after the server has copied what it takes. */
    int64_t taken = __atomic_load_n(word(ring, TRIB_RING_HEAD_OFFSET), __ATOMIC_ACQUIRE);
    if (taken < ring->head || taken > ring->tail) {
        snprintf(ring->problem, sizeof ring->problem, "the head of ring %d is %lld, not between %lld, which it was, and"
                 " %lld, its tail", link->job->node.index, (long long) taken, (long long) ring->head,
                 (long long) ring->tail);
        errno = EBADMSG;
        return false;
    }
    ring->head = taken;
    return true;
}

static void append(struct trib_ring *ring, const uint8_t *source, int64_t bytes) {
    int64_t at = ring->tail & (ring->capacity - 1);
    int64_t first = ring->capacity - at < bytes ? ring->capacity - at : bytes;
    memcpy(ring->memory + TRIB_RING_DATA_OFFSET + at, source, (size_t) first);
    memcpy(ring->memory + TRIB_RING_DATA_OFFSET, source + first, (size_t) (bytes - first));
    ring->tail += bytes;
}

ssize_t trib_ring_send(struct trib_link *link, const struct iovec *vectors, size_t count) {
    struct trib_ring *ring = link->ring;
    int64_t before = ring->tail;
    if (!look(link)) {
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        int64_t room = ring->capacity - (ring->tail - ring->head);
        int64_t bytes = (int64_t) vectors[i].iov_len;
        append(ring, vectors[i].iov_base, bytes < room ? bytes : room);
    }
    if (ring->tail == before) {
        errno = EAGAIN;
        return -1;
    }
    /* Partner: the acquire load with which the server looks what there is. */
    __atomic_store_n(word(ring, TRIB_RING_TAIL_OFFSET), ring->tail, __ATOMIC_RELEASE);
    int32_t *bell = file_int(ring->file, TRIB_SERVER_BELL_OFFSET);
    int32_t *asleep = file_int(ring->file, TRIB_SERVER_ASLEEP_OFFSET);
    /* Orders the store before the load: the server says that it sleeps, fences, then looks at the bell. */
    __atomic_fetch_add(bell, 1, __ATOMIC_SEQ_CST);
    /* Each rank wakes it, once a sleep: none relies on another that may have been stopped before it did so. */
    int32_t sleep = __atomic_load_n(asleep, __ATOMIC_SEQ_CST);
    if (sleep != 0 && sleep != ring->woken) {
        ring->woken = sleep;
        if (!wake(link)) {
            return -1;
        }
    }
    return (ssize_t) (ring->tail - before);
}

bool trib_ring_is_empty(struct trib_link *link) {
    return !look(link) || link->ring->head == link->ring->tail;
}

const char *trib_ring_problem(const struct trib_ring *ring) {
    return ring->problem[0] == '\0' ? NULL : ring->problem;
}

bool trib_ring_remind(struct trib_link *link) {
    if (!look(link)) {
        return false;
    }
    if (link->ring->head == link->ring->tail) {
        return true;
    }
    /* Again, as it may have been overwritten. Partner: the acquire load with which the server looks what there is. */
    __atomic_store_n(word(link->ring, TRIB_RING_TAIL_OFFSET), link->ring->tail, __ATOMIC_RELEASE);
    return wake(link);
}
