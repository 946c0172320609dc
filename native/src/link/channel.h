/*
 * Requests of a link that the network adapter writes into a block of memory at the server, instead of sending them over
 * the connection, on which answers still come (docs/fabric.md, "Veloblock channels"). Everything here is called with
 * the lock of the links held.
 */
#ifndef TRIB_CHANNEL_H
#define TRIB_CHANNEL_H

#include "link.h"

#include <sys/uio.h>

/** A block at a server, as the adapter reaches it. */
struct trib_block;

/** A block that a server gives. */
struct trib_block_facts {
    char provider[TRIB_PROVIDER_BYTES]; /* of the server's adapter */
    uint8_t address[TRIB_FABRIC_ADDRESS_BYTES];
    int64_t start;
    int64_t key;
    int64_t bytes; /* of the region */
    int number; /* of the channel at the server */
    int design; /* TRIB_FABRIC_CHANNELS_..., or what this version does not know */
    bool by_completion; /* writes tell the server when they are complete; otherwise it looks at flags */
};

struct trib_channel {
    struct trib_block *block; /* NULL while requests go over the connection */
    struct trib_block *ahead; /* after so many bytes more requests go there; NULL when they leave the block then */
    int64_t change_at; /* 0 when no change is ahead */
    bool is_leaving; /* nothing more is written, and the server has yet to take the rest */
    int64_t position; /* bytes of the block that messages have used since the beginning */
    int64_t credited; /* those that the server has taken */
    int64_t messages;
    uint32_t writes;
    int design;
    int64_t block_bytes;
    bool by_completion;

    /* fast_path.c */
    bool is_granted;
    bool is_wanted; /* others need the channel more */
    bool is_off;
    bool has_sent; /* something since it was looked at */
    int flushes;
    int64_t since_ns;
    int64_t asked_ns;
    int64_t pause_ns;
    struct trib_block_facts facts; /* when it is granted */
};

/* ---- channel.c: the stream of requests ---- */

/** Requests go over the connection; NULL when memory is short. */
struct trib_channel *trib_channel_new(void);
/** Takes as many bytes as there is room for, on the way that is their turn; like sendmsg that never blocks. */
ssize_t trib_channel_send(struct trib_link *link, struct iovec *vectors, size_t count);
/** What follows the bytes that are in the send buffer goes to a block, or to that of the channel no more for NULL. */
void trib_channel_change(struct trib_link *link, struct trib_block *block);
/** The server has taken so many bytes of the block since the beginning; false when that cannot be. */
bool trib_channel_credit(struct trib_link *link, int64_t taken);
/** Whether something that was written may still need progress of the adapter to arrive. */
bool trib_channel_under_way(const struct trib_link *link);
/** What has broken the channel, or NULL. */
const char *trib_channel_problem(const struct trib_channel *channel);

/** Whether this version knows such blocks. */
bool trib_channel_fits(const struct trib_block_facts *facts);
/** Bytes of the copy of such a block that the rank keeps. */
int64_t trib_channel_copy_bytes(const struct trib_block_facts *facts);

/* ---- fast_path.c: when it is used ---- */

/** After how many hand-overs a link asks for a channel. */
extern int trib_much_for_a_channel;

/**
 * What is encoded, in whole requests, has been handed over: the time to change the way. May leave a message in the
 * send buffer.
 */
int trib_fast_path_flushed(struct trib_link *link);

/* ---- adapter_channels.c: blocks, and memory that messages are composed in ---- */

/** A write of bytes of a message to a place in the block's region. */
struct trib_block_write {
    int from;
    int bytes;
    int64_t to;
    int64_t data; /* that the server is told; negative for none */
};

/** Memory for a message of the largest size; NULL when none is free. */
uint8_t *trib_block_claim(trib *job, struct trib_block *block, int *slot);
/** Begins the writes of a message, one or two, in their order. */
void trib_block_write(trib *job, int slot, const struct trib_block_write *writes, int count);
/** The copy of the block that is kept with some designs. */
uint8_t *trib_block_copy(struct trib_block *block);
/** Whether a message is under way there. */
bool trib_block_is_busy(const trib *job, const struct trib_block *block);
/** What has broken it, or NULL. */
const char *trib_block_problem(const struct trib_block *block);
/** Whether the adapter has had no room for a message. */
bool trib_block_waits(const struct trib_block *block);
/** Nothing more is written, and the server has taken everything. */
void trib_block_close(trib *job, struct trib_block *block);

#endif
