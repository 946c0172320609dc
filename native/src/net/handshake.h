/*
 * The connecting side of the handshake, without input or output; org.tributary.wire.Handshake explains it, and
 * ConnectingHandshake is the same in Java. Fed with the server's frames, it leaves the frame to send in reply.
 */
#ifndef TRIB_HANDSHAKE_H
#define TRIB_HANDSHAKE_H

#include "rank/rank.h"
#include "sha256.h"

enum trib_handshake_state {
    TRIB_HANDSHAKE_BEGUN, /* awaits Challenge */
    TRIB_HANDSHAKE_CHALLENGED, /* awaits Welcome */
    TRIB_HANDSHAKE_ADMITTED,
    TRIB_HANDSHAKE_REFUSED
};

struct trib_handshake {
    /* Set by the caller. */
    const struct trib_place *place;
    const char *where; /* the address, for messages */
    int role; /* as in messages */
    int wanted; /* the node whose server is to answer */
    int64_t pid;
    /* The rest is the handshake's own. */
    enum trib_handshake_state state;
    int refusal;     /* the code with which either side has refused, or -1 */
    int max_payload; /* once admitted: the largest payload of a message that the server takes */
    struct trib_sha256 transcript;
    struct trib_sha256 before_response; /* the transcript when this side proved itself */
    uint8_t reply[TRIB_FRAME_MAX_HANDSHAKE];
    size_t reply_bytes; /* 0 when there is nothing to send */
};

/** Begins, with the first frame as the reply. The nonce was never used before. */
void trib_handshake_begin(struct trib_handshake *handshake, const uint8_t nonce[TRIB_TOKEN_BYTES]);
/**
 * Takes the server's next frame, of that many bytes, all that there are of it. Fails when the connection is refused;
 * even then there may be a reply to send.
 */
int trib_handshake_receive(struct trib_handshake *handshake, const uint8_t *frame, size_t bytes);
/** Once admitted: what keys of this direction are derived from; see Handshake.sendingSecret in Java. */
void trib_handshake_secret(const struct trib_handshake *handshake, bool sending, uint8_t secret[TRIB_TOKEN_BYTES]);

/** Writes the items that all processes of a job must have alike, as org.tributary.wire.Agreement does. */
void trib_handshake_agreement(const struct trib_settings *settings, const struct trib_topology *topology,
                      char text[TRIB_AGREEMENT_BYTES + 1]);

#endif
