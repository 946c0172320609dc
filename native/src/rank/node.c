/* Memory that a rank shares with the other ranks of its node besides segments. */
#include "rank.h"

#include "mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int trib_node_map(trib *job, const char *name, uint8_t **memory, size_t *bytes) {
    char path[PATH_MAX + 64];
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", job->node.directory, name);
    *memory = NULL;
    *bytes = 0;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) != 0) {
        int error = errno;
        if (fd >= 0) {
            close(fd);
        }
        return trib_fail(TRIB_SYSTEM, "cannot open %s: %s", path, strerror(error));
    }
    void *mapped = NULL;
    if (status.st_size > 0) {
        mapped = mmap(NULL, (size_t) status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    int error = errno;
    close(fd);
    if (mapped == MAP_FAILED) {
        return trib_fail(TRIB_SYSTEM, "cannot map %lld bytes of %s: %s", (long long) status.st_size, path,
                         strerror(error));
    }
    if (mapped != NULL && !trib_mapping_add(mapped, (size_t) status.st_size, path, job->place.rank)) {
        munmap(mapped, (size_t) status.st_size);
        return trib_fail(TRIB_NO_MEMORY, "no memory to remember the mapping of %s", path);
    }
    *memory = mapped;
    *bytes = (size_t) status.st_size;
    return TRIB_OK;
}

void trib_node_unmap(uint8_t *memory, size_t bytes) {
    if (memory != NULL) {
        trib_mapping_remove(memory);
        munmap(memory, bytes);
    }
}

static int32_t *control_int(const struct trib_node_memory *node, size_t offset) {
    return (int32_t *) (void *) (node->control + offset);
}

static int check_control(trib *job) {
    struct trib_node_memory *node = &job->node;
    int version = 0;
    int64_t magic = 0;
    if (node->control_bytes >= TRIB_CONTROL_RANK_BLOCKS_OFFSET) {
        /* Partner: the release store by which the server completes the file. */
        version = __atomic_load_n(control_int(node, TRIB_CONTROL_VERSION_OFFSET), __ATOMIC_ACQUIRE);
        memcpy(&magic, node->control, sizeof magic);
    }
    if (version != TRIB_CONTROL_VERSION || magic != TRIB_CONTROL_MAGIC) {
        return trib_fail(TRIB_ATTACH_FAILED, "%s/control is no control file of version %d: %zu bytes, magic %llx,"
                         " version %d; rank and server must be of one release", node->directory, TRIB_CONTROL_VERSION,
                         node->control_bytes, (unsigned long long) magic, version);
    }
    /* Each is read once: others can write there at any time. */
    node->rank_count = __atomic_load_n(control_int(node, TRIB_CONTROL_LOCAL_RANKS_OFFSET), __ATOMIC_RELAXED);
    int capacity = __atomic_load_n(control_int(node, TRIB_CONTROL_NOTIFY_CAPACITY_OFFSET), __ATOMIC_RELAXED);
    if (capacity < 1 || capacity > TRIB_CONTROL_MAX_NOTIFY_CAPACITY) {
        return trib_fail(TRIB_ATTACH_FAILED, "%s/control is damaged: ranks are notified by up to %d", node->directory,
                         capacity);
    }
    node->notify_slots = trib_notify_slots(capacity);
    node->rank_block_bytes = TRIB_CONTROL_RANK_NOTIFY_OFFSET + (size_t) node->notify_slots * TRIB_NOTIFY_ENTRY_BYTES;
    size_t needed = TRIB_CONTROL_RANK_BLOCKS_OFFSET + (size_t) node->rank_count * node->rank_block_bytes;
    if (node->rank_count != trib_topology_node_size(&job->place.topology, job->place.node)
        || node->control_bytes != needed) {
        return trib_fail(TRIB_ATTACH_FAILED, "%s/control is of a node of %d ranks, and has %zu bytes: rank and server"
                         " have different layouts", node->directory, node->rank_count, node->control_bytes);
    }
    return TRIB_OK;
}

/** fcntl(2) with a lock of one byte of the control file, beyond its end for the server. */
static int byte_lock(int fd, int command, int token, short *type) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = token, .l_len = 1};
    int result;
    do {
        result = fcntl(fd, command, &lock);
    } while (result < 0 && errno == EINTR);
    *type = lock.l_type;
    return result;
}

/**
 * Is present for as long as the process lives, as org.tributary.wire.shm.Presence explains. A process that is forked
 * from this one closes its copy.
 */
static int be_present(trib *job) {
    struct trib_node_memory *node = &job->node;
    char path[PATH_MAX + 64];
    short type;
    snprintf(path, sizeof path, "%s/" TRIB_CONTROL_FILE, node->directory);
    node->presence = open(path, O_RDWR | O_CLOEXEC);
    if (node->presence < 0) {
        return trib_fail(TRIB_SYSTEM, "cannot open %s: %s", path, strerror(errno));
    }
    if (byte_lock(node->presence, F_OFD_SETLK, node->index + 1, &type) == 0) {
        return TRIB_OK;
    }
    if (errno == EAGAIN || errno == EACCES) {
        return trib_fail(TRIB_ATTACH_FAILED, "a process that lives has place %d of %s: a rank cannot attach twice",
                         node->index + 1, path);
    }
    return trib_fail(TRIB_SYSTEM, "cannot lock byte %d of %s: %s; the file system and the kernel must have locks of"
                     " open file descriptions (Linux 3.15)", node->index + 1, path, strerror(errno));
}

/** Notes the ranks of the node, and the index of this one. */
static int set_ranks(trib *job) {
    struct trib_node_memory *node = &job->node;
    const struct trib_topology *topology = &job->place.topology;
    int count = trib_topology_node_size(topology, job->place.node);
    node->first_rank = trib_topology_first_rank(topology, job->place.node);
    node->index = trib_topology_index_of(topology, job->place.rank);
    if (trib_topology_rank_at(topology, job->place.node, count - 1) - node->first_rank == count - 1) {
        return TRIB_OK;
    }
    int bits = 2;
    while (1LL << bits < 4LL * count) {
        bits++; /* at least three quarters are free: few lookups take a second look */
    }
    size_t slots = (size_t) 1 << bits;
    node->ranks_shift = 32 - bits;
    node->ranks = bits > 32 ? NULL : malloc(slots * sizeof *node->ranks);
    if (node->ranks == NULL) {
        return trib_fail(TRIB_NO_MEMORY, "no memory for the numbers of %d ranks of node %d", count, job->place.node);
    }
    memset(node->ranks, -1, slots * sizeof *node->ranks);
    for (int index = 0; index < count; index++) {
        int rank = trib_topology_rank_at(topology, job->place.node, index);
        size_t at = (unsigned) rank * TRIB_GOLDEN >> node->ranks_shift;
        while (node->ranks[at].index >= 0) {
            at = (at + 1) & (slots - 1);
        }
        node->ranks[at] = (struct trib_node_rank) {.rank = rank, .index = index};
    }
    return TRIB_OK;
}

void trib_node_free(trib *job) {
    free(job->node.ranks);
    job->node.ranks = NULL;
}

int trib_node_open(trib *job) {
    TRIB_TRY(set_ranks(job));
    TRIB_TRY(trib_node_map(job, TRIB_CONTROL_FILE, &job->node.control, &job->node.control_bytes));
    TRIB_TRY(check_control(job));
    return be_present(job);
}

void trib_node_give_up_presence(trib *job) {
    if (job->node.presence >= 0) {
        close(job->node.presence);
        job->node.presence = -1;
    }
}

void trib_node_close(trib *job) {
    trib_node_give_up_presence(job);
    trib_node_unmap(job->node.control, job->node.control_bytes);
    job->node.control = NULL;
}

static int64_t *notify_entry(const struct trib_node_memory *node, int index, int slot) {
    return (int64_t *) (void *) (trib_rank_block(node, index) + TRIB_CONTROL_RANK_NOTIFY_OFFSET
                                 + (size_t) slot * TRIB_NOTIFY_ENTRY_BYTES);
}

bool trib_node_notify(trib *job, int rank) {
    struct trib_node_memory *node = &job->node;
    int index = trib_node_index(node, rank);
    int32_t wanted = job->place.rank + 1;
    int slot = trib_notify_hash(job->place.rank, node->notify_slots);
    for (int probe = 0; probe < node->notify_slots; probe++, slot = (slot + 1) & (node->notify_slots - 1)) {
        int64_t *entry = notify_entry(node, index, slot);
        int32_t *source = (int32_t *) (void *) entry;
        int32_t found = __atomic_load_n(source, __ATOMIC_ACQUIRE);
        if (found == 0
            && __atomic_compare_exchange_n(source, &found, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
            found = wanted;
        }
        if (found == wanted) {
            /* Partner: the acquire load in trib_node_notifications. */
            __atomic_fetch_add(entry + TRIB_NOTIFY_COUNT / 8, 1, __ATOMIC_SEQ_CST);
            trib_node_ring(node, index);
            return true;
        }
    }
    return false;
}

int trib_node_check_notifications(trib *job, int rank) {
    for (int slot = 0; slot < job->node.notify_slots; slot++) {
        int64_t *entry = notify_entry(&job->node, trib_node_index(&job->node, rank), slot);
        int32_t found = __atomic_load_n((int32_t *) (void *) entry, __ATOMIC_ACQUIRE);
        if (found < 0 || found > job->place.topology.rank_count) {
            return trib_job_damaged(job, TRIB_CONTROL_FILE, "entry %d of the notification table of rank %d is of rank"
                                    " %lld, and there are %d",
                                    slot, rank, (long long) found - 1, job->place.topology.rank_count);
        }
    }
    return TRIB_OK;
}

static int64_t notifications(const trib *job, int source) {
    const struct trib_node_memory *node = &job->node;
    int slot = trib_notify_hash(source, node->notify_slots);
    for (int probe = 0; probe < node->notify_slots; probe++, slot = (slot + 1) & (node->notify_slots - 1)) {
        int64_t *entry = notify_entry(node, node->index, slot);
        int32_t found = __atomic_load_n((int32_t *) (void *) entry, __ATOMIC_ACQUIRE);
        if (found == source + 1) {
            return __atomic_load_n(entry + TRIB_NOTIFY_COUNT / 8, __ATOMIC_ACQUIRE);
        }
        if (found == 0) {
            return 0;
        }
    }
    return 0;
}

int64_t trib_node_notifications(trib *job, int source, int64_t seen) {
    int64_t count = notifications(job, source);
    if (count < seen) {
        trib_job_damaged(job, TRIB_CONTROL_FILE, "the notification table of rank %d counts %lld of rank %d, and there"
                         " were %lld",
                         job->place.rank, (long long) count, source, (long long) seen);
        return -1;
    }
    return count;
}

int trib_node_state(trib *job, int rank, int *state) {
    uint8_t *block = trib_rank_block(&job->node, trib_node_index(&job->node, rank));
    int32_t *word = (int32_t *) (void *) (block + TRIB_CONTROL_RANK_STATE_OFFSET);
    *state = __atomic_load_n(word, __ATOMIC_ACQUIRE); /* once */
    return *state >= TRIB_EXPECTED && *state <= TRIB_LEAVING ? TRIB_OK
        : trib_job_damaged(job, TRIB_CONTROL_FILE, "the state of rank %d is %d", rank, *state);
}

static bool has_said_goodbye(int state) {
    return state == TRIB_LEAVING || state == TRIB_DEPARTED;
}

bool trib_node_is_last_to_leave(trib *job) {
    const struct trib_topology *topology = &job->place.topology;
    int state;
    if (trib_node_state(job, job->place.rank, &state) != TRIB_OK) {
        return false;
    }
    bool is_heard = has_said_goodbye(state);
    for (int rank = 0; rank < topology->rank_count && is_heard; rank++) {
        if (trib_topology_node_of(topology, rank) == job->place.node
            && (trib_node_state(job, rank, &state) != TRIB_OK || !has_said_goodbye(state))) {
            return false;
        }
    }
    return true;
}

bool trib_node_is_alive(const trib *job, int token) {
    const struct trib_node_memory *node = &job->node;
    if (token == node->index + 1) {
        return true;
    }
    if (token != TRIB_CONTROL_SERVER_TOKEN && (token < 1 || token > node->rank_count)) {
        return false;
    }
    short type;
    return byte_lock(node->presence, F_OFD_GETLK, token, &type) != 0 || type != F_UNLCK;
}
