/* Pieces of transfers that are under way, or wait until the adapter has room. As Pieces of the Java client. */
#include "adapter.h"

/** The error for a problem of the provider; NULL when the transfer has failed before. */
static trib_error *failure_of(struct trib_transfer *transfer, const char *problem) {
    trib_error *failure = transfer->room;
    if (failure == NULL) {
        return NULL;
    }
    transfer->room = NULL;
    *failure = (trib_error) {.status = TRIB_ADAPTER_FAILED, .rank = transfer->rank, .offset = transfer->offset,
                             .segment = transfer->segment, .length = transfer->bytes};
    snprintf(failure->message, sizeof failure->message, "%s of %lld bytes failed in the network adapter: rank %d,"
             " segment %llx, offset %lld: %s", transfer->reads ? "get" : "put", (long long) transfer->bytes,
             transfer->rank, (unsigned long long) transfer->segment, (long long) transfer->offset, problem);
    return failure;
}

/** Its handle tells, or, of a put without one, the next fence of its target. Takes the failure over. */
static void tell(struct trib_transfer *transfer, trib_error *failure) {
    struct trib_link *link = transfer->target->link;
    if (failure == NULL) {
        return;
    }
    if (transfer->has_handle && transfer->failure == NULL) {
        transfer->failure = failure;
    } else if (!transfer->has_handle && link->one_way_failure == NULL) {
        link->one_way_failure = failure;
        trib_link_enter(link, TRIB_UNSETTLED);
    } else {
        free(failure);
    }
}

void trib_transfer_fail(struct trib_transfer *transfer, const char *problem) {
    tell(transfer, failure_of(transfer, problem));
}

static void end_if_complete(trib *job, struct trib_transfer *transfer) {
    if (!transfer->whole || transfer->pieces > 0) {
        return;
    }
    if (transfer->handle != NULL) {
        trib_handle_ended(job->links, transfer->handle, transfer->odd, transfer->failure);
    } else {
        free(transfer->failure);
    }
    if (transfer->registration != NULL) {
        trib_registration_ended(trib_adapter_of(job), transfer->registration);
    }
    trib_region_unused(trib_adapter_of(job), transfer->region);
    free(transfer->room);
    free(transfer);
}

/**
 * Whether the kernel is slow to copy between processes to there, and not to a slot; see COPY_ALIGNMENT of RankAdapter.
 */
static bool is_better_copied(const struct trib_adapter *adapter, const struct trib_transfer *transfer,
                             const struct trib_blocks *blocks) {
    int64_t from = transfer->part + blocks->remote;
    return transfer->reads && strcmp(adapter->provider, "shm") == 0
        && (!trib_blocks_is_one(blocks) || (from % TRIB_COPY_ALIGNMENT == 0
            && (intptr_t) blocks->local % TRIB_COPY_ALIGNMENT != 0));
}

void trib_transfer_use_memory(trib *job, struct trib_transfer *transfer, const struct trib_blocks *blocks) {
    struct trib_adapter *adapter = trib_adapter_of(job);
    if (blocks->bytes < TRIB_ADAPTER_DIRECT_THRESHOLD || is_better_copied(adapter, transfer, blocks)) {
        return;
    }
    if (adapter->registers) {
        transfer->registration = trib_registration_take(job, blocks);
        transfer->own = transfer->registration == NULL ? NULL : transfer->registration->region;
    } else {
        transfer->own = adapter->direct;
    }
    transfer->direct = transfer->own != NULL;
}

void trib_transfer_begun(trib *job, struct trib_transfer *transfer) {
    transfer->whole = true;
    end_if_complete(job, transfer);
}

static void give_slot(struct trib_adapter *adapter, int slot) {
    adapter->free_slots[adapter->free_count++] = slot;
}

static void end_piece(trib *job, struct trib_adapter_piece *piece) {
    struct trib_adapter *adapter = trib_adapter_of(job);
    struct trib_transfer *transfer = piece->transfer;
    struct trib_target *target = transfer->target;
    const uint8_t *slot = adapter->memory + (size_t) piece->slot * TRIB_SLOT_BYTES;
    bool copies = !piece->failed && transfer->reads && !transfer->dropped && !transfer->direct;
    for (int i = 0; copies && i < piece->blocks; i++) {
        memcpy(piece->local[i], slot + piece->places[i], (size_t) (piece->places[i + 1] - piece->places[i]));
    }
    piece->under_way = false;
    give_slot(adapter, piece->slot);
    adapter->face.pieces--;
    target->reached |= !piece->failed;
    target->failed |= piece->failed;
    *(transfer->reads ? &target->reads : &target->writes) -= 1;
    if (piece->failed) {
        tell(transfer, piece->failure);
    }
    transfer->pieces--;
    end_if_complete(job, transfer);
}

/** What has not begun is given up. Takes the failure over. */
static void stop(struct trib_adapter_piece *piece, trib_error *failure) {
    if (piece->failed) {
        free(failure);
    } else {
        piece->failure = failure;
    }
    piece->failed = true;
    piece->blocks = piece->begun;
}

static void end_if_done(trib *job, struct trib_adapter_piece *piece) {
    if (piece->ended == piece->blocks && !piece->waits) {
        end_piece(job, piece);
    }
}

/** Begins what has not begun; false when the adapter has no room. */
static bool try_to_begin(trib *job, struct trib_adapter_piece *piece) {
    struct trib_adapter *adapter = trib_adapter_of(job);
    struct trib_transfer *transfer = piece->transfer;
    uint8_t *slot = adapter->memory + (size_t) piece->slot * TRIB_SLOT_BYTES;
    while (piece->begun < piece->blocks) {
        int64_t place = transfer->part + piece->remote[piece->begun];
        uint8_t *here = transfer->direct ? piece->local[piece->begun] : slot + piece->places[piece->begun];
        int64_t size = tf_size((uint32_t) (piece->places[piece->begun + 1] - piece->places[piece->begun]),
                               (uint32_t) piece->slot);
        struct tf_region *region = transfer->direct ? transfer->own : adapter->bounce;
        __typeof__(&tf_write_delivered) write = piece->begun < piece->blocks - 1 ? adapter->shim->tf_write_ahead
            : adapter->shim->tf_write_delivered;
        int64_t result = transfer->reads
            ? adapter->shim->tf_read(transfer->region->remote, place, region, here, size)
            : write(transfer->region->remote, place, region, here, size);
        if (result == TF_AGAIN) {
            return false;
        }
        if (result < 0) {
            stop(piece, failure_of(transfer, trib_adapter_error(adapter, result)));
            return true;
        }
        piece->begun++;
    }
    return true;
}

static void begin_waiting_at(trib *job, struct trib_adapter *adapter, struct trib_target *target) {
    bool late = target->waiting != NULL && !target->reached
        && trib_now_ns() - target->tried_ns > job->settings.attach_timeout_ns;
    while (target->waiting != NULL && !adapter->is_off && (late || try_to_begin(job, target->waiting))) {
        struct trib_adapter_piece *piece = target->waiting;
        char problem[128];
        target->waiting = piece->next;
        piece->waits = false;
        if (late) {
            snprintf(problem, sizeof problem, "node %d has not been reached within attach.timeout", target->node);
            stop(piece, failure_of(piece->transfer, problem));
        }
        end_if_done(job, piece);
    }
}

void trib_pieces_begin_waiting(trib *job) {
    struct trib_adapter *adapter = trib_adapter_of(job);
    for (struct trib_target *target = adapter->targets; target != NULL && !adapter->is_off; target = target->next) {
        begin_waiting_at(job, adapter, target);
    }
}

static void fill(struct trib_adapter *adapter, struct trib_adapter_piece *piece, struct trib_transfer *transfer,
                 struct trib_blocks *blocks) {
    uint8_t *slot = adapter->memory + (size_t) piece->slot * TRIB_SLOT_BYTES;
    piece->transfer = transfer;
    piece->number = ++adapter->face.begun;
    piece->begun = 0;
    piece->ended = 0;
    piece->blocks = 0;
    piece->failed = false;
    int64_t most = transfer->direct ? TRIB_DIRECT_PIECE_BYTES : TRIB_SLOT_BYTES;
    while (piece->blocks < TRIB_SLOT_BLOCKS && blocks->left > 0 && piece->places[piece->blocks] < most) {
        int64_t at = piece->places[piece->blocks];
        piece->remote[piece->blocks] = blocks->remote;
        piece->local[piece->blocks] = blocks->local;
        int64_t taken = trib_blocks_take(blocks, most - at);
        if (!transfer->reads && !transfer->direct) {
            memcpy(slot + at, piece->local[piece->blocks], (size_t) taken);
        }
        piece->places[++piece->blocks] = at + taken;
    }
}

void trib_pieces_begin(trib *job, struct trib_transfer *transfer, struct trib_blocks *blocks) {
    struct trib_adapter *adapter = trib_adapter_of(job);
    struct trib_adapter_piece *piece = &adapter->pieces[adapter->free_slots[--adapter->free_count]];
    struct trib_target *target = transfer->target;
    fill(adapter, piece, transfer, blocks);
    piece->under_way = true;
    transfer->pieces++;
    *(transfer->reads ? &target->reads : &target->writes) += 1;
    target->tried_ns = target->tried_ns == 0 ? trib_now_ns() : target->tried_ns;
    if (adapter->face.pieces++ == 0) {
        trib_links_arrived(job); /* threads that sleep until a connection has something look here */
    }
    if (target->waiting != NULL || !try_to_begin(job, piece)) {
        struct trib_adapter_piece **last = &target->waiting;
        while (*last != NULL) {
            last = &(*last)->next;
        }
        piece->next = NULL;
        piece->waits = true;
        *last = piece;
    } else {
        end_if_done(job, piece);
    }
}

bool trib_pieces_own(const struct trib_adapter *adapter, int64_t context) {
    return context >= 0 && context < TRIB_SLOTS && adapter->pieces[context].under_way;
}

void trib_pieces_ended(trib *job, int64_t context, const char *problem) {
    struct trib_adapter_piece *piece = &trib_adapter_of(job)->pieces[context];
    piece->ended++;
    if (problem != NULL) {
        stop(piece, failure_of(piece->transfer, problem));
    }
    end_if_done(job, piece);
}

bool trib_pieces_have_ended(const struct trib_adapter *adapter, int node, int64_t number) {
    for (int slot = 0; slot < TRIB_SLOTS && adapter->face.pieces > 0; slot++) {
        const struct trib_adapter_piece *piece = &adapter->pieces[slot];
        if (piece->under_way && piece->number <= number && (node < 0 || piece->transfer->target->node == node)) {
            return false;
        }
    }
    return true;
}

const struct trib_adapter_piece *trib_pieces_oldest(const struct trib_adapter *adapter,
                                                    const struct trib_target *target) {
    const struct trib_adapter_piece *found = NULL;
    for (int slot = 0; slot < TRIB_SLOTS; slot++) {
        const struct trib_adapter_piece *piece = &adapter->pieces[slot];
        if (piece->under_way && piece->transfer->target == target && (found == NULL || piece->number < found->number)) {
            found = piece;
        }
    }
    return found;
}

void trib_pieces_fail(trib *job, const char *why) {
    struct trib_adapter *adapter = trib_adapter_of(job);
    for (struct trib_target *target = adapter->targets; target != NULL; target = target->next) {
        target->waiting = NULL;
    }
    for (int slot = 0; slot < TRIB_SLOTS; slot++) {
        struct trib_adapter_piece *piece = &adapter->pieces[slot];
        if (piece->under_way) {
            piece->waits = false;
            stop(piece, failure_of(piece->transfer, why));
            end_piece(job, piece);
        }
    }
}

bool trib_pieces_let_go(trib *job) {
    struct trib_adapter *adapter = trib_adapter_of(job);
    bool uses_memory = false;
    for (int slot = 0; slot < TRIB_SLOTS && adapter->face.pieces > 0; slot++) {
        if (adapter->pieces[slot].under_way) {
            adapter->pieces[slot].transfer->dropped = true;
            adapter->pieces[slot].transfer->handle = NULL;
            uses_memory |= adapter->pieces[slot].transfer->direct;
        }
    }
    return uses_memory;
}
