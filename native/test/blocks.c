/* Requests by a channel of a network adapter that the test plays, as it does the server that reads the block. */
#include "linked.h"

#include "link/adapter.h"

#include <errno.h>
#include <sys/socket.h>

#include "wire/askChannel.h"
#include "wire/channel.h"
#include "wire/channelWanted.h"
#include "wire/credit.h"
#include "wire/leaveChannel.h"
#include "wire/messageHeader.h"
#include "wire/put.h"
#include "wire/useChannel.h"

#define UNDER_WAY 5 /* operations, at most */
#define STREAM (4 << 20)
#define NUMBER 9 /* of the channel at the server */

struct tf_remote {
    int64_t data;
};

static struct operation {
    uint8_t bytes[TRIB_STAGED_BYTES];
    int64_t to;
    int64_t count;
    int64_t context;
    int64_t data; /* negative for none */
} operations[UNDER_WAY];
static int under_way;
static bool fails;
static bool by_completion;
static int design;
static int64_t size; /* of the block; 0 for the usual one */

/** The server's side. */
static struct {
    uint8_t region[TRIB_BLOCK_HEAD_BYTES + TRIB_FIXED_BLOCK_BYTES];
    uint8_t arrived[TRIB_ARRIVAL_NUMBERS]; /* 1: whole; 2: goes on */
    int next_write;
    int64_t position;
    int64_t credited;
    bool ends; /* what comes next is the last: its credit is given by hand */
    int64_t messages;
    uint8_t stream[STREAM];
    int64_t bytes;
} at_server;

static int64_t begin_operation(struct tf_remote *remote, int64_t to, const void *memory, int64_t size, bool has_data) {
    if (under_way == UNDER_WAY) {
        return -EAGAIN;
    }
    struct operation *operation = &operations[under_way++];
    *operation = (struct operation) {.to = to, .count = (uint32_t) size, .context = size >> 32,
                                     .data = has_data ? remote->data : -1};
    memcpy(operation->bytes, memory, (size_t) operation->count);
    return 0;
}

static int64_t write_plainly(struct tf_remote *remote, int64_t to, struct tf_region *region, const void *memory,
                             int64_t size) {
    (void) region;
    return begin_operation(remote, to, memory, size, false);
}

static void choose_data(struct tf_remote *remote, int64_t data) {
    remote->data = data;
}

static int64_t write_with_data(struct tf_remote *remote, int64_t to, struct tf_region *region, const void *memory,
                               int64_t size) {
    (void) region;
    return begin_operation(remote, to, memory, size, true);
}

static void send_to_rank(char *frame, int64_t bytes) {
    int32_t length = TRIB_FRAME_HEADER_BYTES + (int32_t) bytes;
    memcpy(frame, &length, sizeof length);
    EQUAL(send(server[1], frame, (size_t) length, MSG_NOSIGNAL), length);
}

static void give_credit(int64_t taken) {
    char frame[100] = {0};
    struct wire_messageHeader header;
    struct wire_credit credit;
    wire_credit_wrap_and_apply_header(&credit, frame + TRIB_FRAME_LENGTH_BYTES, 0, 90, &header);
    wire_credit_set_freed(&credit, taken);
    send_to_rank(frame, wire_credit_sbe_block_length());
}

static bool is_fixed(void) {
    return design == TRIB_FABRIC_CHANNELS_FIXED_TOP || design == TRIB_FABRIC_CHANNELS_FIXED_BOTTOM;
}

static bool is_top(void) {
    return design == TRIB_FABRIC_CHANNELS_FIXED_TOP || design == TRIB_FABRIC_CHANNELS_VARIABLE_TOP;
}

static int64_t block_bytes(void) {
    return size != 0 ? size : is_fixed() ? TRIB_FIXED_BLOCK_BYTES : TRIB_BLOCK_BYTES;
}

static int64_t used(int64_t bytes) {
    return (bytes + 7) / 8 * 8 + 8;
}

/** Whether the flag of a message with that word at the top is behind it as well. */
static bool has_tail(uint64_t word, int64_t at) {
    int64_t tail = (at + used((int64_t) (word & 0xffffff))) % block_bytes() + 7;
    return by_completion || at_server.region[TRIB_BLOCK_HEAD_BYTES + tail] == (word >> 48 & 0xff);
}

/** Length of the next message in the block; 0 while it is not there. */
static int64_t look(void) {
    int64_t at = at_server.position % block_bytes();
    uint64_t word;
    memcpy(&word, at_server.region + TRIB_BLOCK_HEAD_BYTES + (is_top() ? at : block_bytes() - at - 8), sizeof word);
    int64_t flag = is_top() ? at_server.messages % TRIB_BLOCK_TOP_FLAGS + 1 : at_server.messages % TRIB_BLOCK_FLAGS + 1;
    int64_t there = is_top() ? (int64_t) (word >> 48 & 0x7f) : (int64_t) (word >> 56);
    int next = at_server.next_write;
    if (by_completion) {
        int first = at_server.arrived[next];
        int second = at_server.arrived[(next + 1) % TRIB_ARRIVAL_NUMBERS];
        if (first == 0 || (first == 2 && second == 0)) {
            return 0;
        }
        for (int i = 0; i < first; i++) {
            at_server.arrived[at_server.next_write] = 0;
            at_server.next_write = (at_server.next_write + 1) % TRIB_ARRIVAL_NUMBERS;
        }
        EQUAL(there, flag);
    } else if (there != flag || (is_top() && !has_tail(word, at))) {
        return 0;
    }
    return (int64_t) (word & 0xffffff);
}

static void read_block(void) {
    for (int64_t bytes = look(); bytes > 0; bytes = look()) {
        int64_t block = block_bytes();
        int64_t at = is_top() ? at_server.position % block + 8
            : 2 * block - at_server.position % block - used(bytes);
        CHECK(bytes <= TRIB_BLOCK_SLOT_BYTES - 16 && at_server.bytes + bytes <= STREAM);
        for (int64_t i = 0; i < bytes; i++) {
            at_server.stream[at_server.bytes++] =
                at_server.region[TRIB_BLOCK_HEAD_BYTES + (at + i) % block];
        }
        at_server.position += is_fixed() ? TRIB_BLOCK_SLOT_BYTES : used(bytes);
        at_server.messages++;
    }
    if (!at_server.ends && at_server.position - at_server.credited >= block_bytes() / 4) {
        at_server.credited = at_server.position;
        give_credit(at_server.credited);
    }
}

/** Ends one operation; where completions tell of them, not always the oldest. */
static int64_t poll_adapter(struct tf_endpoint *endpoint, int64_t *events, int64_t count) {
    (void) endpoint;
    (void) count;
    if (under_way == 0) {
        return 0;
    }
    int which = by_completion ? (int) (at_server.messages % under_way) : 0;
    struct operation ended = operations[which];
    memmove(operations + which, operations + which + 1, (size_t) (--under_way - which) * sizeof *operations);
    events[0] = fails ? -EIO : TF_DONE;
    events[1] = ended.context;
    events[2] = ended.count;
    if (!fails) {
        memcpy(at_server.region + ended.to, ended.bytes, (size_t) ended.count);
    }
    if (ended.data >= 0 && !fails) {
        EQUAL(ended.data >> 16, NUMBER);
        at_server.arrived[ended.data % TRIB_ARRIVAL_NUMBERS] = (ended.data & TRIB_ARRIVAL_MORE) != 0 ? 2 : 1;
    }
    read_block();
    return 1;
}

static int64_t open_remote(struct tf_endpoint *endpoint, int64_t peer, int64_t base, int64_t key,
                           struct tf_remote **remote) {
    (void) endpoint;
    EQUAL(peer, 3);
    EQUAL(base, 77);
    EQUAL(key, 88);
    *remote = calloc(1, sizeof **remote);
    return *remote != NULL ? 0 : -ENOMEM;
}

static void close_remote(struct tf_remote *remote) {
    free(remote);
}

static int64_t know_peer(struct tf_endpoint *endpoint, const void *address) {
    (void) endpoint;
    EQUAL(memcmp(address, "there", 5), 0);
    return 3;
}

static int64_t explain(int64_t error, char *text, int64_t size) {
    return snprintf(text, (size_t) size, "error %d", (int) error);
}

static int64_t explain_failure(struct tf_endpoint *endpoint, char *text, int64_t size) {
    (void) endpoint;
    return snprintf(text, (size_t) size, "said so");
}

static int64_t no_descriptor(struct tf_endpoint *endpoint) {
    (void) endpoint;
    return TF_NO_SYSTEM_CALL;
}

static void close_endpoint(struct tf_endpoint *endpoint) {
    (void) endpoint;
}

static const struct trib_shim shim = {.tf_write = write_plainly, .tf_data = choose_data,
    .tf_write_data = write_with_data, .tf_poll = poll_adapter, .tf_remote_open = open_remote,
    .tf_remote_close = close_remote, .tf_peer = know_peer, .tf_error_text = explain, .tf_failure = explain_failure,
    .tf_descriptor = no_descriptor, .tf_endpoint_close = close_endpoint};

/** The adapter is open, and a channel to the server of node 1 may be asked for. */
static void begin_with_adapter(int design_of_block, bool completions) {
    const char *const settings[] = {"network.fabric=tcp", "fabric.channels=1", NULL};
    begin(ADDRESSES, settings);
    connect_all();
    struct trib_adapter *adapter = trib_adapter_of(job);
    static uint64_t endpoint;
    adapter->shim = &shim;
    snprintf(adapter->provider, sizeof adapter->provider, "played");
    adapter->endpoint = (struct tf_endpoint *) (void *) &endpoint;
    adapter->pieces = calloc(TRIB_SLOTS, sizeof *adapter->pieces);
    adapter->memory = calloc(TRIB_CHANNEL_SLOTS, TRIB_STAGED_BYTES);
    CHECK(adapter->pieces != NULL && adapter->memory != NULL);
    adapter->staging = adapter->memory;
    while (adapter->unused_staged_count < TRIB_CHANNEL_SLOTS) {
        adapter->unused_staged[adapter->unused_staged_count] = adapter->unused_staged_count;
        adapter->unused_staged_count++;
    }
    link_to[1]->channel = trib_channel_new();
    CHECK(link_to[1]->channel != NULL);
    memset(&at_server, 0, sizeof at_server);
    under_way = 0;
    fails = false;
    by_completion = completions;
    design = design_of_block;
}

static int put(int node, int64_t bytes) {
    trib_links_lock(job->links);
    int status = trib_send_put(link_to[node], 5, 1, 8 * bytes, 0, large + bytes % 1000, bytes);
    status = status == TRIB_OK ? trib_link_flush(link_to[node]) : status;
    trib_links_unlock(job->links);
    return status;
}

static void give_channel(const char *provider) {
    char frame[200] = {0};
    struct wire_messageHeader header;
    struct wire_channel channel;
    wire_channel_wrap_and_apply_header(&channel, frame + TRIB_FRAME_LENGTH_BYTES, 0, 190, &header);
    wire_channel_set_start(&channel, 77);
    wire_channel_set_key(&channel, 88);
    wire_channel_set_bytes(&channel, (int64_t) ((uint64_t) block_bytes() + TRIB_BLOCK_HEAD_BYTES));
    wire_channel_set_design(&channel, (uint8_t) design);
    wire_channel_set_number(&channel, NUMBER);
    wire_channel_set_byCompletion(&channel, by_completion ? 1 : 0);
    wire_channel_put_provider(&channel, provider, (uint16_t) strlen(provider));
    wire_channel_put_address(&channel, "there", 5);
    send_to_rank(frame, (int64_t) (wire_channel_sbe_block_length() + 2 + strlen(provider) + 2 + 5));
}

static void want_channel(void) {
    char frame[100] = {0};
    struct wire_messageHeader header;
    struct wire_channelWanted wanted;
    wire_channelWanted_wrap_and_apply_header(&wanted, frame + TRIB_FRAME_LENGTH_BYTES, 0, 90, &header);
    send_to_rank(frame, 0);
}

static int poll_link(void) {
    bool moved;
    trib_links_lock(job->links);
    int status = trib_link_poll(link_to[1], &moved);
    trib_links_unlock(job->links);
    return status;
}

static bool has_come(int node) {
    uint8_t byte;
    return recv(server[node], &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1;
}

/** Sends much until the rank asks. */
static void have_it_asked_for(void) {
    do {
        OK(put(1, 8));
        EQUAL(receive_frame(server[1]), wire_put_sbe_template_id());
    } while (!has_come(1));
    EQUAL(receive_frame(server[1]), wire_askChannel_sbe_template_id());
}

/** And gives it the channel. */
static void earn(const char *provider) {
    have_it_asked_for();
    give_channel(provider);
    OK(poll_link());
    OK(put(1, 8));
    EQUAL(receive_frame(server[1]), wire_put_sbe_template_id());
}

/** The same requests as another server gets over its connection, up to the message that nothing follows. */
static void should_bring_requests_through_the_block(int design_of_block, bool completions, int64_t bytes_of_block) {
    uint32_t random = 5;
    int64_t compared = 0;
    size = bytes_of_block;
    begin_with_adapter(design_of_block, completions);
    earn("played");
    EQUAL(receive_frame(server[1]), wire_useChannel_sbe_template_id());
    for (int i = 0; i < 700; i++) {
        random = trib_next_random(random);
        int64_t bytes = random % 8 == 0 ? random % 30000 : random % 300;
        uint8_t same[40000];
        OK(put(1, bytes));
        OK(put(2, bytes));
        OK(trib_adapter_settle(job));
        EQUAL(trib_adapter_of(job)->face.writes, 0);
        ssize_t count = recv(server[2], same, sizeof same, MSG_DONTWAIT);
        EQUAL(at_server.bytes - compared, count);
        EQUAL(memcmp(at_server.stream + compared, same, (size_t) count), 0);
        compared += count;
        CHECK(!has_come(1));
    }
    CHECK(at_server.position > 5 * block_bytes() && at_server.bytes > 30 * TRIB_BLOCK_BYTES);
    at_server.ends = true;
    want_channel();
    OK(poll_link());
    OK(trib_links_flush_all(job));
    OK(trib_adapter_settle(job));
    EQUAL(at_server.bytes - compared, TRIB_FRAME_HEADER_BYTES);
    struct wire_messageHeader header;
    wire_messageHeader_wrap(&header, (char *) at_server.stream + compared, TRIB_FRAME_LENGTH_BYTES, 0, 8192);
    EQUAL(wire_messageHeader_templateId(&header), wire_leaveChannel_sbe_template_id());
    bool all = true;
    trib_links_lock(job->links);
    OK(trib_send_fence(link_to[1]));
    OK(trib_out_push(link_to[1], &all));
    trib_links_unlock(job->links);
    CHECK(!all && !has_come(1)); /* before the server says that it has taken everything */
    give_credit(at_server.position);
    OK(put(1, 8));
    EQUAL(at_server.bytes - compared, TRIB_FRAME_HEADER_BYTES);
    CHECK(has_come(1) && link_to[1]->channel->block == NULL && trib_adapter_of(job)->blocks == NULL);
    finish(true);
}

static void should_leave_a_channel_that_cannot_be_opened(void) {
    begin_with_adapter(TRIB_FABRIC_CHANNELS_VARIABLE_BOTTOM, false);
    earn("another");
    EQUAL(receive_frame(server[1]), wire_leaveChannel_sbe_template_id());
    for (int i = 0; i < 3 * TRIB_MUCH; i++) {
        OK(put(1, 8));
        EQUAL(receive_frame(server[1]), wire_put_sbe_template_id());
    }
    CHECK(!has_come(1)); /* it does not ask again */
    finish(true);
}

static void should_leave_a_channel_of_an_unknown_design(void) {
    begin_with_adapter(TRIB_FABRIC_CHANNELS_VARIABLE_BOTTOM + 1, false);
    earn("played");
    EQUAL(receive_frame(server[1]), wire_leaveChannel_sbe_template_id());
    finish(true);
}

static void should_leave_a_channel_whose_block_does_not_fit(void) {
    const int64_t sizes[] = {TRIB_BLOCK_SLOT_BYTES, TRIB_BLOCK_BYTES + 8, TRIB_BLOCK_MAX_VARIABLE_BYTES + 8192, -8192,
        INT64_MIN, INT64_MAX - TRIB_BLOCK_HEAD_BYTES};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size = sizes[i];
        begin_with_adapter(TRIB_FABRIC_CHANNELS_VARIABLE_BOTTOM, false);
        earn("played");
        EQUAL(receive_frame(server[1]), wire_leaveChannel_sbe_template_id());
        finish(true);
    }
    size = 0;
}

static void should_leave_a_channel_that_is_wanted_at_once(void) {
    begin_with_adapter(TRIB_FABRIC_CHANNELS_VARIABLE_BOTTOM, false);
    have_it_asked_for();
    give_channel("played");
    want_channel();
    OK(poll_link());
    OK(trib_links_flush_all(job));
    EQUAL(receive_frame(server[1]), wire_leaveChannel_sbe_template_id());
    CHECK(!link_to[1]->channel->is_off && !has_come(1));
    finish(true);
}

static void should_break_when_credit_is_wrong(void) {
    begin_with_adapter(TRIB_FABRIC_CHANNELS_VARIABLE_BOTTOM, false);
    earn("played");
    OK(put(1, 100));
    give_credit(1 << 20);
    FAILS(poll_link(), TRIB_ABORTED, "credit for 1048576 bytes, which have not been written");
    finish(true);
}

static void should_break_when_a_write_fails(void) {
    begin_with_adapter(TRIB_FABRIC_CHANNELS_VARIABLE_BOTTOM, false);
    earn("played");
    fails = true;
    FAILS(put(1, 100), TRIB_ABORTED, "the network adapter has not written a request: error -5 (said so)");
    FAILS(put(1, 100), TRIB_ABORTED, "the network adapter has not written a request");
    finish(true);
}

void blocks(void) {
    for (int i = TRIB_FABRIC_CHANNELS_FIXED_TOP; i <= TRIB_FABRIC_CHANNELS_VARIABLE_BOTTOM; i++) {
        for (int completions = 0; completions < 2; completions++) {
            should_bring_requests_through_the_block(i, completions != 0, 0);
            should_bring_requests_through_the_block(i, completions != 0, 2 * TRIB_BLOCK_SLOT_BYTES);
        }
    }
    size = 0;
    should_leave_a_channel_whose_block_does_not_fit();
    should_leave_a_channel_of_an_unknown_design();
    should_leave_a_channel_that_cannot_be_opened();
    should_leave_a_channel_that_is_wanted_at_once();
    should_break_when_credit_is_wrong();
    should_break_when_a_write_fails();
}
