#include "algorithms.h"

void trib_transfers_begin(struct trib_transfers *transfers, int64_t longest_stream) {
    struct trib_signature *call = &transfers->group->collectives->call;
    transfers->sequence++;
    trib_signature_begin(call, transfers->sequence);
    transfers->key = call->key;
    transfers->base = transfers->next_base;
    /* an incomplete chunk in each of two pieces, and one to spare */
    transfers->next_base = transfers->base + longest_stream / transfers->layout.chunk_bytes + 3;
}

int64_t trib_chunks_of(const struct trib_transfers *transfers, int64_t bytes) {
    int64_t chunk = transfers->layout.chunk_bytes;
    return bytes <= chunk ? 1 : (bytes - 1) / chunk + 1;
}

/* ---- ranges ---- */

static int64_t chunks_or_none(const struct trib_transfers *transfers, int64_t bytes) {
    return bytes == 0 ? 0 : (bytes - 1) / transfers->layout.chunk_bytes + 1;
}

static struct trib_byte_range two_pieces(const struct trib_transfers *transfers, int64_t start, int64_t first,
                                         int64_t second) {
    struct trib_byte_range range = {.start = start, .first = first, .second = second};
    range.first_chunks = chunks_or_none(transfers, first);
    range.chunks = range.first_chunks + chunks_or_none(transfers, second);
    range.chunks = range.chunks < 1 ? 1 : range.chunks;
    return range;
}

struct trib_byte_range trib_range_of(const struct trib_transfers *transfers, int64_t start, int64_t length) {
    return two_pieces(transfers, start, length, 0);
}

static int64_t start_of(const struct trib_partition *partition, int part) {
    if (partition->blocks != NULL) {
        return partition->blocks->first_of[part] * partition->block_bytes;
    }
    int64_t extra = part < partition->remainder ? part : partition->remainder;
    return (part * partition->quotient + extra) * partition->element_bytes;
}

struct trib_byte_range trib_range_of_parts(const struct trib_transfers *transfers,
                                           const struct trib_partition *partition, int from, int to) {
    int parts = partition->parts;
    int64_t begin = start_of(partition, from % parts);
    if (from == to) {
        return two_pieces(transfers, begin, 0, 0);
    }
    int64_t end = start_of(partition, to % parts);
    if (from % parts < to % parts) {
        return two_pieces(transfers, begin, end - begin, 0);
    }
    return two_pieces(transfers, begin, start_of(partition, parts) - begin, end);
}

static int64_t offset_of(const struct trib_transfers *transfers, const struct trib_byte_range *range, int64_t k) {
    int64_t chunk = transfers->layout.chunk_bytes;
    return k < range->first_chunks ? range->start + k * chunk : (k - range->first_chunks) * chunk;
}

static int64_t length_of(const struct trib_transfers *transfers, const struct trib_byte_range *range, int64_t k) {
    int64_t chunk = transfers->layout.chunk_bytes;
    int64_t left = k < range->first_chunks ? range->first - k * chunk
        : range->second - (k - range->first_chunks) * chunk;
    return left < chunk ? left : chunk;
}

/* ---- chunks ---- */

static int send_chunk(struct trib_transfers *transfers, int member, int64_t offset, const uint8_t *source,
                      int64_t bytes, int64_t flag_offset, int64_t value) {
    int rank = trib_members_rank(&transfers->group->members, member);
    trib_memory *inboxes = transfers->group->inboxes;
    return bytes == 0 ? trib_set_flag(inboxes, rank, (size_t) flag_offset, value)
        : trib_put_flag(inboxes, rank, (size_t) offset, source, (size_t) bytes, (size_t) flag_offset, value);
}

static int await_word(struct trib_transfers *transfers, int64_t offset, int64_t value, bool exactly, int member) {
    trib_group *group = transfers->group;
    trib *job = group->job;
    int rank = trib_members_rank(&group->members, member);
    const int64_t *word = (const int64_t *) (const void *) (transfers->own + offset);
    TRIB_TRY(trib_links_flush_all(job));
    struct trib_cause wait = {.kind = TRIB_WAIT_COLLECTIVE, .peer = rank, .segment = group->inboxes->id,
                             .number = transfers->sequence};
    int status = trib_await_doubting(job, word, value, exactly, &wait, trib_signature_doubt, group,
                                     &group->collectives->waits);
    /* Others wait for this rank as it has waited for one that is gone; if the job has failed, they know. */
    bool gone = status == TRIB_ABORTED && !trib_has_failed(job) && !trib_is_leaving(job);
    return gone ? trib_signature_left_alone(group, rank) : status;
}

int trib_push(struct trib_transfers *transfers, int round, int to, const uint8_t *source, int64_t bytes, int64_t k) {
    const struct trib_inbox_layout *layout = &transfers->layout;
    if (k >= 2) {
        TRIB_TRY(await_word(transfers, trib_inbox_ack_offset(layout, round, transfers->sequence),
                            transfers->base + k - 1, false, to));
    }
    return send_chunk(transfers, to, trib_inbox_chunk_offset(layout, round, transfers->sequence, k), source, bytes,
                      trib_inbox_flag_offset(layout, round, transfers->sequence, k), transfers->key + k);
}

int trib_await_chunk(struct trib_transfers *transfers, int round, int from, int64_t k, const uint8_t **chunk) {
    const struct trib_inbox_layout *layout = &transfers->layout;
    *chunk = transfers->own + trib_inbox_chunk_offset(layout, round, transfers->sequence, k);
    return await_word(transfers, trib_inbox_flag_offset(layout, round, transfers->sequence, k),
                      transfers->key + k, true, from);
}

int trib_release(struct trib_transfers *transfers, int round, int from, int64_t k, int64_t chunks) {
    if (k + 2 >= chunks) {
        return TRIB_OK;
    }
    return send_chunk(transfers, from, 0, NULL, 0,
                      trib_inbox_ack_offset(&transfers->layout, round, transfers->sequence),
                      transfers->base + k + 1);
}

int trib_signal(struct trib_transfers *transfers, int round, int to) {
    return trib_push(transfers, round, to, NULL, 0, 0);
}

int trib_await_signal(struct trib_transfers *transfers, int round, int from) {
    const uint8_t *chunk;
    return trib_await_chunk(transfers, round, from, 0, &chunk);
}

/* ---- streams ---- */

int trib_push_of_stream(struct trib_transfers *transfers, int round, int to, const uint8_t *source,
                        const struct trib_byte_range *range, int64_t k) {
    return trib_push(transfers, round, to, source + offset_of(transfers, range, k), length_of(transfers, range, k), k);
}

int trib_send_stream(struct trib_transfers *transfers, int round, int to, const uint8_t *source,
                     const struct trib_byte_range *range) {
    for (int64_t k = 0; k < range->chunks; k++) {
        TRIB_TRY(trib_push_of_stream(transfers, round, to, source, range, k));
    }
    return TRIB_OK;
}

int trib_take(struct trib_transfers *transfers, int round, int from, uint8_t *target,
              const struct trib_byte_range *range, const struct trib_reduction *reduction, int64_t k) {
    const uint8_t *chunk;
    TRIB_TRY(trib_await_chunk(transfers, round, from, k, &chunk));
    int64_t bytes = length_of(transfers, range, k);
    uint8_t *to = target + offset_of(transfers, range, k);
    if (reduction != NULL) {
        trib_combine(reduction, to, chunk, bytes);
    } else if (bytes > 0) {
        memcpy(to, chunk, (size_t) bytes);
    }
    return trib_release(transfers, round, from, k, range->chunks);
}

int trib_receive_stream(struct trib_transfers *transfers, int round, int from, uint8_t *target,
                        const struct trib_byte_range *range, const struct trib_reduction *reduction) {
    for (int64_t k = 0; k < range->chunks; k++) {
        TRIB_TRY(trib_take(transfers, round, from, target, range, reduction, k));
    }
    return TRIB_OK;
}

int trib_exchange(struct trib_transfers *transfers, int round, int to, const struct trib_byte_range *sent, int from,
                  const struct trib_byte_range *received, uint8_t *buffer, const struct trib_reduction *reduction) {
    int64_t most = sent->chunks > received->chunks ? sent->chunks : received->chunks;
    for (int64_t k = 0; k < most; k++) {
        if (k < sent->chunks) {
            TRIB_TRY(trib_push_of_stream(transfers, round, to, buffer, sent, k));
        }
        if (k < received->chunks) {
            TRIB_TRY(trib_take(transfers, round, from, buffer, received, reduction, k));
        }
    }
    return TRIB_OK;
}
