/* Blocks at servers to which the adapter writes requests, and the memory in which those are composed. */
#include "adapter.h"

#include "channel.h"

struct trib_block {
    struct tf_remote *remote;
    int64_t data; /* of its writes, the bits that name the channel */
    struct trib_staged *waiting; /* messages for which the adapter had no room, oldest first */
    char problem[256]; /* empty while it is whole */
    bool is_reached; /* a write has been complete */
    int64_t tried_ns; /* when something was first seen under way; 0 for never */
    struct trib_block *next;
    uint8_t copy[]; /* of what has been written, with designs that need it */
};

struct trib_block *trib_block_new(struct trib_adapter *adapter, struct tf_remote *remote, int number,
                                  int64_t copy_bytes) {
    struct trib_block *block = calloc(1, sizeof *block + (size_t) copy_bytes);
    if (block != NULL) {
        block->remote = remote;
        block->data = (int64_t) number << TRIB_CHANNEL_NUMBER_SHIFT;
        block->next = adapter->blocks;
        adapter->blocks = block;
    }
    return block;
}

uint8_t *trib_block_copy(struct trib_block *block) {
    return block->copy;
}

const char *trib_block_problem(const struct trib_block *block) {
    return block->problem[0] == '\0' ? NULL : block->problem;
}

bool trib_block_is_busy(const trib *job, const struct trib_block *block) {
    const struct trib_adapter *adapter = trib_adapter_of(job);
    for (int slot = 0; adapter->face.writes > 0 && slot < TRIB_CHANNEL_SLOTS; slot++) {
        if (adapter->staged[slot].under_way && adapter->staged[slot].block == block) {
            return true;
        }
    }
    return false;
}

/** A slot is free again when all writes of its message are complete; those that never begin do not count. */
static void end_if_done(struct trib_adapter *adapter, struct trib_staged *staged) {
    if (staged->ended == staged->count && !staged->waits) {
        staged->under_way = false;
        adapter->unused_staged[adapter->unused_staged_count++] = (int) (staged - adapter->staged);
        adapter->face.writes--;
    }
}

/** Threads that wait hear of it when they look at the connection. */
static void fail(trib *job, struct trib_block *block, const char *problem) {
    if (block->problem[0] == '\0') {
        snprintf(block->problem, sizeof block->problem, "the network adapter has not written a request: %s", problem);
        job->links->broken = true;
        trib_links_arrived(job);
    }
    while (block->waiting != NULL) {
        struct trib_staged *staged = block->waiting;
        block->waiting = staged->next;
        staged->waits = false;
        staged->count = staged->begun;
        end_if_done(trib_adapter_of(job), staged);
    }
}

uint8_t *trib_block_claim(trib *job, struct trib_block *block, int *slot) {
    struct trib_adapter *adapter = trib_adapter_of(job);
    if (adapter->unused_staged_count == 0) {
        return NULL;
    }
    *slot = adapter->unused_staged[--adapter->unused_staged_count];
    adapter->staged[*slot] = (struct trib_staged) {.block = block, .number = ++adapter->face.written,
                                                   .under_way = true};
    if (adapter->face.writes++ == 0) {
        trib_links_arrived(job); /* threads that sleep until a connection has something look at the adapter */
    }
    return adapter->staging + (size_t) *slot * TRIB_STAGED_BYTES;
}

/** Begins what has not begun; false when the adapter has no room. Stores the error. */
static bool try_to_begin(struct trib_adapter *adapter, struct trib_staged *staged, int64_t *error) {
    const struct trib_shim *shim = adapter->shim;
    struct trib_block *block = staged->block;
    int slot = (int) (staged - adapter->staged);
    const uint8_t *memory = adapter->staging + (size_t) slot * TRIB_STAGED_BYTES;
    *error = 0;
    while (staged->begun < staged->count) {
        const struct trib_block_write *write = &staged->writes[staged->begun];
        int64_t size = tf_size((uint32_t) write->bytes, (uint32_t) (TRIB_SLOTS + slot));
        if (write->data >= 0) {
            shim->tf_data(block->remote, block->data | write->data);
        }
        int64_t result = write->data >= 0
            ? shim->tf_write_data(block->remote, write->to, adapter->bounce, memory + write->from, size)
            : shim->tf_write(block->remote, write->to, adapter->bounce, memory + write->from, size);
        if (result == TF_AGAIN) {
            return false;
        }
        if (result < 0) {
            *error = result;
            return true;
        }
        staged->begun++;
    }
    return true;
}

/** The same; what fails breaks the block. */
static bool begin(trib *job, struct trib_staged *staged) {
    struct trib_adapter *adapter = trib_adapter_of(job);
    int64_t error;
    if (!try_to_begin(adapter, staged, &error)) {
        return false;
    }
    if (error != 0) {
        staged->count = staged->begun;
        fail(job, staged->block, trib_adapter_error(adapter, error));
    }
    return true;
}

void trib_block_write(trib *job, int slot, const struct trib_block_write *writes, int count) {
    struct trib_adapter *adapter = trib_adapter_of(job);
    struct trib_staged *staged = &adapter->staged[slot];
    struct trib_block *block = staged->block;
    memcpy(staged->writes, writes, (size_t) count * sizeof *writes);
    staged->count = count;
    if (block->waiting != NULL || !begin(job, staged)) {
        struct trib_staged **last = &block->waiting;
        while (*last != NULL) {
            last = &(*last)->next;
        }
        staged->waits = true;
        *last = staged;
    } else {
        end_if_done(adapter, staged);
    }
}

/** Something has been under way for so long, and nothing has ever arrived, that the server is out of reach. */
static bool is_out_of_reach(const trib *job, struct trib_block *block) {
    if (block->is_reached || block->problem[0] != '\0' || !trib_block_is_busy(job, block)) {
        return false;
    }
    int64_t now_ns = trib_now_ns();
    block->tried_ns = block->tried_ns == 0 ? now_ns : block->tried_ns;
    return now_ns - block->tried_ns > job->settings.attach_timeout_ns;
}

void trib_blocks_begin_waiting(trib *job) {
    struct trib_adapter *adapter = trib_adapter_of(job);
    for (struct trib_block *block = adapter->blocks; block != NULL; block = block->next) {
        if (trib_unlikely(is_out_of_reach(job, block))) {
            fail(job, block, "its server has not been reached within attach.timeout");
        }
        struct trib_staged *staged = block->waiting;
        while (staged != NULL && begin(job, staged) && block->waiting == staged) { /* nothing waits for a broken one */
            block->waiting = staged->next;
            staged->waits = false;
            end_if_done(adapter, staged);
            staged = block->waiting;
        }
    }
}

bool trib_blocks_own(const struct trib_adapter *adapter, int64_t context) {
    return context >= TRIB_SLOTS && context < TRIB_SLOTS + TRIB_CHANNEL_SLOTS
        && adapter->staged[context - TRIB_SLOTS].under_way;
}

void trib_blocks_ended(trib *job, int64_t context, const char *problem) {
    struct trib_adapter *adapter = trib_adapter_of(job);
    struct trib_staged *staged = &adapter->staged[context - TRIB_SLOTS];
    staged->ended++;
    if (problem != NULL && staged->block != NULL) {
        fail(job, staged->block, problem);
    } else if (staged->block != NULL) {
        staged->block->is_reached = true;
    }
    if (staged->under_way) {
        end_if_done(adapter, staged);
    }
}

bool trib_blocks_have_ended(const struct trib_adapter *adapter, int64_t number) {
    for (int slot = 0; slot < TRIB_CHANNEL_SLOTS; slot++) {
        if (adapter->staged[slot].under_way && adapter->staged[slot].number <= number) {
            return false;
        }
    }
    return true;
}

void trib_blocks_fail(trib *job, const char *why) {
    struct trib_adapter *adapter = trib_adapter_of(job);
    for (struct trib_block *block = adapter->blocks; block != NULL; block = block->next) {
        fail(job, block, why);
    }
    for (int slot = 0; slot < TRIB_CHANNEL_SLOTS; slot++) {
        struct trib_staged *staged = &adapter->staged[slot];
        if (staged->under_way) {
            staged->ended = staged->count;
            end_if_done(adapter, staged);
        }
    }
}

bool trib_block_waits(const struct trib_block *block) {
    return block->waiting != NULL;
}

void trib_block_close(trib *job, struct trib_block *block) {
    struct trib_adapter *adapter = trib_adapter_of(job);
    struct trib_block **at = &adapter->blocks;
    while (*at != block) {
        at = &(*at)->next;
    }
    *at = block->next;
    for (int slot = 0; slot < TRIB_CHANNEL_SLOTS; slot++) {
        if (adapter->staged[slot].block == block) {
            adapter->staged[slot].block = NULL; /* the adapter has yet to say that the server's memory has it */
        }
    }
    adapter->shim->tf_remote_close(block->remote);
    free(block);
}

void trib_blocks_free(struct trib_adapter *adapter) {
    while (adapter->blocks != NULL) {
        struct trib_block *block = adapter->blocks;
        adapter->blocks = block->next;
        adapter->shim->tf_remote_close(block->remote);
        free(block);
    }
}
