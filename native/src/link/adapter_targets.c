/* Nodes as the adapter sees them: where their segments are, and whether what is under way there can still end. */
#include "adapter.h"

struct trib_target *trib_target_of(struct trib_adapter *adapter, int node, struct trib_link *link) {
    struct trib_target *target = adapter->targets;
    while (target != NULL && target->node != node) {
        target = target->next;
    }
    if (target == NULL && (target = calloc(1, sizeof *target)) != NULL) {
        target->node = node;
        target->peer = -1;
        target->next = adapter->targets;
        adapter->targets = target;
    }
    if (target != NULL) {
        target->link = link;
    }
    return target;
}

static struct trib_remote_region *region_of(const struct trib_target *target, int64_t segment) {
    return (struct trib_remote_region *) (intptr_t) trib_map_get(&target->regions, segment, 0);
}

/** Makes the node's endpoint known; false when the provider refuses. */
static bool reach(struct trib_adapter *adapter, struct trib_target *target, const uint8_t *address) {
    if (target->peer < 0) {
        target->peer = adapter->shim->tf_peer(adapter->endpoint, address);
    }
    return target->peer >= 0;
}

/** Takes the server's answer on a rank's part; false when memory is short. */
static bool learn(struct trib_adapter *adapter, struct trib_target *target, int64_t segment, int rank,
                  const struct trib_region_facts *facts) {
    const struct trib_shim *shim = adapter->shim;
    struct trib_remote_region *region = region_of(target, segment);
    if (region == NULL) {
        region = calloc(1, sizeof *region);
        if (region == NULL || !trib_map_put(&target->regions, segment, (intptr_t) region)) {
            free(region);
            return false;
        }
        region->segment = segment;
        if (facts->bytes > 0 && reach(adapter, target, facts->address)) {
            shim->tf_remote_open(adapter->endpoint, target->peer, facts->start, facts->key, &region->remote);
        }
    }
    return trib_map_put(&region->offsets, rank, facts->part_offset + 1);
}

/** Asks the server, without the lock meanwhile. */
static int ask(trib *job, struct trib_target *target, int64_t segment, int rank, struct trib_region_facts *facts) {
    struct trib_link *link = target->link;
    struct trib_cause wait = {.kind = TRIB_WAIT_ANSWER, .peer = link->node};
    TRIB_TRY(trib_link_claim(link));
    TRIB_TRY(trib_link_goes_on(link));
    struct trib_reply *reply = trib_link_expect(link, NULL);
    if (reply == NULL) {
        return TRIB_NO_MEMORY;
    }
    reply->facts = facts;
    int status = trib_send_ask_region(link, reply, segment, rank);
    status = status == TRIB_OK ? trib_link_flush(link) : status;
    if (status != TRIB_OK) {
        reply->facts = NULL; /* of a frame that is left */
        return status;
    }
    trib_links_unlock(job->links);
    status = trib_await_reply(job, link, reply, &wait, NULL);
    trib_links_lock(job->links);
    return status;
}

int trib_target_part(trib *job, struct trib_target *target, int64_t segment, int rank,
                     struct trib_remote_region **region, int64_t *part, bool *asked) {
    struct trib_adapter *adapter = trib_adapter_of(job);
    struct trib_region_facts facts = {0};
    *region = region_of(target, segment);
    int64_t known = *region == NULL ? 0 : trib_map_get(&(*region)->offsets, rank, 0);
    *part = -1;
    *asked = known == 0;
    if (known == 0) {
        int status = ask(job, target, segment, rank, &facts);
        if (status != TRIB_OK) {
            return status == TRIB_ABORTED ? status : TRIB_OK; /* the server says the same of a message */
        }
        if (!adapter->is_off && adapter->endpoint == NULL && facts.provider[0] != '\0') {
            trib_adapter_open(job, adapter, facts.provider, target->link);
        }
        target->failed |= facts.provider[0] == '\0'; /* its server has none */
        if (adapter->is_off || target->failed || !learn(adapter, target, segment, rank, &facts)) {
            return TRIB_OK;
        }
        *region = region_of(target, segment);
        known = trib_map_get(&(*region)->offsets, rank, 0);
    }
    if ((*region)->remote != NULL) {
        *part = known - 1;
    }
    return TRIB_OK;
}

/** Asks whether the memory is still there, without waiting for the answer. */
static int begin_doubt(struct trib_target *target, int64_t segment, int rank) {
    struct trib_link *link = target->link;
    struct trib_piece_doubt *doubt = &target->doubt;
    if (link->is_sending || link->broken) {
        return TRIB_OK; /* another time */
    }
    struct trib_reply *reply = trib_link_expect(link, NULL);
    if (reply == NULL) {
        return TRIB_OK;
    }
    reply->facts = &doubt->facts;
    doubt->reply = reply;
    doubt->asked = doubt->number;
    TRIB_TRY(trib_send_ask_region(link, reply, segment, rank));
    return trib_link_flush(link);
}

void trib_target_end_doubt(struct trib_target *target) {
    struct trib_piece_doubt *doubt = &target->doubt;
    if (doubt->reply != NULL && doubt->reply->done) {
        doubt->gone = doubt->reply->failure != NULL && doubt->asked == doubt->number;
        free(doubt->reply->failure);
        doubt->reply->failure = NULL;
        trib_link_give_back(target->link, doubt->reply);
        doubt->reply = NULL;
    }
}

int trib_target_doubts(trib *job, struct trib_target *target, int64_t oldest, int64_t segment, int rank,
                       int64_t now_ns, bool *hopeless) {
    struct trib_piece_doubt *doubt = &target->doubt;
    (void) job;
    *hopeless = false;
    trib_target_end_doubt(target);
    if (oldest != doubt->number) {
        doubt->number = oldest;
        doubt->since_ns = now_ns;
        doubt->gone = false;
        doubt->last = false;
    } else if (doubt->gone && !doubt->last) {
        doubt->last = true; /* it may have ended by the answer, and nobody has looked yet */
        doubt->since_ns = now_ns;
    } else if (now_ns - doubt->since_ns > TRIB_DOUBT_AFTER_NS) {
        *hopeless = doubt->last;
        if (!doubt->last && doubt->reply == NULL) {
            doubt->since_ns = now_ns;
            return begin_doubt(target, segment, rank);
        }
    }
    return TRIB_OK;
}

struct trib_block *trib_target_open_block(struct trib_link *link, const struct trib_block_facts *facts) {
    trib *job = link->job;
    struct trib_adapter *adapter = trib_adapter_of(job);
    struct tf_remote *remote;
    if (!adapter->is_off && adapter->endpoint == NULL && facts->provider[0] != '\0') {
        trib_adapter_open(job, adapter, facts->provider, link);
    }
    if (adapter->is_off || adapter->endpoint == NULL || strcmp(facts->provider, adapter->provider) != 0
        || !trib_channel_fits(facts)) {
        return NULL;
    }
    struct trib_target *target = trib_target_of(adapter, link->node, link);
    if (target == NULL || !reach(adapter, target, facts->address)
        || adapter->shim->tf_remote_open(adapter->endpoint, target->peer, facts->start, facts->key, &remote) != 0) {
        return NULL; /* requests go over the connection, and a transfer says why it does not get there */
    }
    struct trib_block *block = trib_block_new(adapter, remote, facts->number, trib_channel_copy_bytes(facts));
    if (block == NULL) {
        adapter->shim->tf_remote_close(remote);
    }
    return block;
}

static void free_region(const struct trib_adapter *adapter, struct trib_remote_region *region) {
    if (region->remote != NULL) {
        adapter->shim->tf_remote_close(region->remote);
    }
    trib_map_free(&region->offsets);
    free(region);
}

void trib_region_unused(const struct trib_adapter *adapter, struct trib_remote_region *region) {
    if (--region->users == 0 && region->forgotten) {
        free_region(adapter, region);
    }
}

void trib_targets_forget(struct trib_adapter *adapter, int64_t segment) {
    for (struct trib_target *target = adapter->targets; target != NULL; target = target->next) {
        struct trib_remote_region *region = region_of(target, segment);
        if (region != NULL) {
            trib_map_remove(&target->regions, segment);
            region->forgotten = true;
            region->users++;
            trib_region_unused(adapter, region);
        }
    }
}

void trib_targets_free(struct trib_adapter *adapter) {
    while (adapter->targets != NULL) {
        struct trib_target *target = adapter->targets;
        adapter->targets = target->next;
        for (size_t i = 0; i < target->regions.slots; i++) {
            if (target->regions.entries[i].used) {
                free_region(adapter, (struct trib_remote_region *) (intptr_t) target->regions.entries[i].value);
            }
        }
        trib_map_free(&target->regions);
        free(target);
    }
}
