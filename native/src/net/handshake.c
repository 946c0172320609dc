#include "handshake.h"

#include "wire/challenge.h"
#include "wire/hello.h"
#include "wire/refused.h"
#include "wire/response.h"
#include "wire/welcome.h"

#define TEXT_LENGTH_BYTES 2

static const char *const refusals[] = {"0", TRIB_REFUSALS};

/* ---- proofs ---- */

static void said(struct trib_handshake *handshake, const uint8_t *frame, size_t bytes) {
    trib_sha256_add(&handshake->transcript, frame, bytes);
}

static void transcript_digest(const struct trib_handshake *handshake, uint8_t digest[TRIB_SHA256_BYTES]) {
    struct trib_sha256 copy = handshake->transcript;
    trib_sha256_end(&copy, digest);
}

/** The proof for all that has been said so far, the frame in which it belongs with zeros in its place. */
static void prove(const struct trib_handshake *handshake, const char *label, uint8_t proof[TRIB_TOKEN_BYTES]) {
    struct trib_hmac mac;
    uint8_t digest[TRIB_SHA256_BYTES];
    transcript_digest(handshake, digest);
    trib_hmac_begin(&mac, handshake->place->secret, handshake->place->secret_bytes);
    trib_hmac_add(&mac, label, strlen(label));
    trib_hmac_add(&mac, digest, sizeof digest);
    trib_hmac_end(&mac, proof);
}

/** Whether a frame of the server has the right proof; compares in constant time. */
static bool is_proved(struct trib_handshake *handshake, const char *label, const uint8_t *frame, size_t bytes,
                      size_t proof_at) {
    uint8_t unproved[TRIB_FRAME_MAX_HANDSHAKE];
    uint8_t proof[TRIB_TOKEN_BYTES];
    uint8_t difference = 0;
    memcpy(unproved, frame, bytes);
    memset(unproved + proof_at, 0, TRIB_TOKEN_BYTES);
    said(handshake, unproved, bytes);
    prove(handshake, label, proof);
    for (size_t i = 0; i < TRIB_TOKEN_BYTES; i++) {
        difference |= (uint8_t) (frame[proof_at + i] ^ proof[i]);
    }
    return difference == 0;
}

/* ---- frames of this side ---- */

/** Where a message is encoded; its frame's length is written when that is known. */
static char *reply_message(struct trib_handshake *handshake) {
    memset(handshake->reply, 0, sizeof handshake->reply);
    return (char *) handshake->reply + TRIB_FRAME_LENGTH_BYTES;
}

#define MESSAGE_BYTES (TRIB_FRAME_MAX_HANDSHAKE - TRIB_FRAME_LENGTH_BYTES)

static void end_reply(struct trib_handshake *handshake, uint64_t bytes_after_header) {
    uint32_t length = (uint32_t) (TRIB_FRAME_HEADER_BYTES + bytes_after_header);
    memcpy(handshake->reply, &length, sizeof length);
    handshake->reply_bytes = length;
}

static void prove_reply(struct trib_handshake *handshake, const char *label, size_t proof_offset) {
    uint8_t proof[TRIB_TOKEN_BYTES];
    said(handshake, handshake->reply, handshake->reply_bytes);
    prove(handshake, label, proof);
    memcpy(handshake->reply + TRIB_FRAME_HEADER_BYTES + proof_offset, proof, sizeof proof);
}

void trib_handshake_begin(struct trib_handshake *handshake, const uint8_t nonce[TRIB_TOKEN_BYTES]) {
    const struct trib_place *place = handshake->place;
    handshake->state = TRIB_HANDSHAKE_BEGUN;
    handshake->refusal = -1;
    trib_sha256_begin(&handshake->transcript);
    struct wire_messageHeader header;
    struct wire_hello hello;
    char padded[TRIB_JOB_ID_BYTES] = {0};
    memcpy(padded, place->job_id, strlen(place->job_id));
    wire_hello_wrap_and_apply_header(&hello, reply_message(handshake), 0, MESSAGE_BYTES, &header);
    wire_hello_set_role(&hello, (enum wire_role) handshake->role);
    wire_hello_set_rank(&hello, place->rank);
    wire_hello_set_node(&hello, place->node);
    wire_hello_set_pid(&hello, handshake->pid);
    wire_hello_put_jobId(&hello, padded);
    wire_hello_put_nonce(&hello, (const char *) nonce);
    wire_hello_set_peer(&hello, handshake->wanted);
    end_reply(handshake, wire_hello_sbe_block_length());
    said(handshake, handshake->reply, handshake->reply_bytes);
}

/* ---- refusals ---- */

/** Ends the handshake; the reply tells the server why, so that it can tell its operator. */
static void refuse(struct trib_handshake *handshake, enum wire_refusalCode code, const char *detail) {
    struct wire_messageHeader header;
    struct wire_refused refused;
    wire_refused_wrap_and_apply_header(&refused, reply_message(handshake), 0, MESSAGE_BYTES, &header);
    wire_refused_set_code(&refused, code);
    wire_refused_put_detail(&refused, detail, (uint16_t) strlen(detail));
    end_reply(handshake, wire_refused_encoded_length(&refused));
    if (handshake->state == TRIB_HANDSHAKE_CHALLENGED) {
        prove_reply(handshake, TRIB_REFUSED_LABEL, wire_refused_proof_encoding_offset());
    }
    handshake->state = TRIB_HANDSHAKE_REFUSED;
    handshake->refusal = (int) code;
}

static int out_of_order(struct trib_handshake *handshake, const char *detail) {
    refuse(handshake, wire_refusalCode_OUT_OF_ORDER, detail);
    return trib_fail(TRIB_ATTACH_FAILED, "what answers at %s does not speak Tributary's protocol: %s",
                     handshake->where, detail);
}

static int changed_on_the_way(struct trib_handshake *handshake, const char *detail) {
    refuse(handshake, wire_refusalCode_WRONG_SECRET, detail);
    return trib_fail(TRIB_ATTACH_FAILED, "what answers at %s has proved itself, but %s: something on the way there"
                     " changes messages", handshake->where, detail);
}

/** A server that turns a slow process away has perhaps not seen the Response, which crosses its refusal. */
static bool is_refusal_proved(struct trib_handshake *handshake, int code, const uint8_t *frame, size_t bytes) {
    size_t proof_at = TRIB_FRAME_HEADER_BYTES + wire_refused_proof_encoding_offset();
    struct trib_handshake crossed = *handshake;
    crossed.transcript = handshake->before_response;
    return (code == wire_refusalCode_TOO_MANY && is_proved(&crossed, TRIB_REFUSED_LABEL, frame, bytes, proof_at))
        || is_proved(handshake, TRIB_REFUSED_LABEL, frame, bytes, proof_at);
}

/** The server refuses. Its words come without characters that could harm a terminal. */
static int refused(struct trib_handshake *handshake, const uint8_t *frame, size_t bytes) {
    char detail[TRIB_FRAME_MAX_HANDSHAKE];
    uint16_t code;
    size_t from = TRIB_FRAME_HEADER_BYTES + wire_refused_sbe_block_length() + TEXT_LENGTH_BYTES;
    memcpy(&code, frame + TRIB_FRAME_HEADER_BYTES + wire_refused_code_encoding_offset(), sizeof code);
    // Before it has proved itself, the other side cannot prove why it refuses either.
    if (handshake->state == TRIB_HANDSHAKE_CHALLENGED && !is_refusal_proved(handshake, code, frame, bytes)) {
        return changed_on_the_way(handshake, "the proof in Refused is wrong");
    }
    for (size_t i = from; i < bytes; i++) {
        detail[i - from] = (char) (frame[i] < ' ' || frame[i] == 127 ? '?' : frame[i]);
    }
    handshake->state = TRIB_HANDSHAKE_REFUSED;
    handshake->refusal = code;
    const char *name = code < sizeof refusals / sizeof *refusals ? refusals[code] : NULL;
    return trib_fail(TRIB_ATTACH_FAILED, "%s refused the connection: %s, %.*s", handshake->where,
                     name != NULL ? name : "unknown", (int) (bytes - from), detail);
}

/* ---- the server's frames ---- */

static int wrong_node(struct trib_handshake *handshake, int found) {
    char detail[160];
    snprintf(detail, sizeof detail, "rank %d of node %d looked for the server of node %d and found that of node %d",
             handshake->place->rank, handshake->place->node, handshake->wanted, found);
    refuse(handshake, wire_refusalCode_WRONG_NODE, detail);
    return trib_fail(TRIB_ATTACH_FAILED, "%s at %s: TRIBUTARY_SERVERS, or the file TRIBUTARY_SERVERS_FILE, must list"
                     " the servers in the order of their nodes (cat addr.* takes addr.10 before addr.2)", detail,
                     handshake->where);
}

static int challenge(struct trib_handshake *handshake, const uint8_t *frame, size_t bytes) {
    int32_t node;
    if (!is_proved(handshake, TRIB_CHALLENGE_LABEL, frame, bytes,
                   TRIB_FRAME_HEADER_BYTES + wire_challenge_proof_encoding_offset())) {
        refuse(handshake, wire_refusalCode_WRONG_SECRET, "the server has another secret");
        return trib_fail(TRIB_ATTACH_FAILED, "what answers at %s does not know the secret of job %s: it is another"
                         " job's server or none of Tributary's", handshake->where, handshake->place->job_id);
    }
    memcpy(&node, frame + TRIB_FRAME_HEADER_BYTES + wire_challenge_node_encoding_offset(), sizeof node);
    if (node != handshake->wanted) {
        return wrong_node(handshake, node);
    }
    handshake->state = TRIB_HANDSHAKE_CHALLENGED;
    handshake->before_response = handshake->transcript;
    struct wire_messageHeader header;
    struct wire_response response;
    wire_response_wrap_and_apply_header(&response, reply_message(handshake), 0, MESSAGE_BYTES, &header);
    wire_response_put_agreement(&response, handshake->place->agreement, (uint16_t) strlen(handshake->place->agreement));
    end_reply(handshake, wire_response_encoded_length(&response));
    prove_reply(handshake, TRIB_RESPONSE_LABEL, wire_response_proof_encoding_offset());
    return TRIB_OK;
}

static int welcome(struct trib_handshake *handshake, const uint8_t *frame, size_t bytes) {
    int32_t node;
    int32_t max_payload;
    memcpy(&node, frame + TRIB_FRAME_HEADER_BYTES + wire_welcome_node_encoding_offset(), sizeof node);
    memcpy(&max_payload, frame + TRIB_FRAME_HEADER_BYTES + wire_welcome_maxPayload_encoding_offset(),
           sizeof max_payload);
    if (!is_proved(handshake, TRIB_WELCOME_LABEL, frame, bytes,
                   TRIB_FRAME_HEADER_BYTES + wire_welcome_proof_encoding_offset()) || node != handshake->wanted) {
        return changed_on_the_way(handshake, "the proof in Welcome is wrong");
    }
    handshake->state = TRIB_HANDSHAKE_ADMITTED;
    handshake->max_payload = max_payload;
    return TRIB_OK;
}

static const char *name_of(int template, char buffer[32]) {
    static const char *const names[] = {TRIB_HANDSHAKE_MESSAGES};
    if (template >= 1 && template <= (int) (sizeof names / sizeof *names)) {
        return names[template - 1];
    }
    snprintf(buffer, 32, "message %d", template);
    return buffer;
}

/** A frame of the message that is expected, or of a refusal, whose form may be wrong. */
static int check_form(struct trib_handshake *handshake, const uint8_t *frame, size_t bytes, const char *name,
                      bool is_refusal) {
    char detail[200];
    uint32_t stated;
    uint16_t block;
    uint16_t version;
    uint16_t text = 0;
    memcpy(&stated, frame, sizeof stated);
    memcpy(&block, frame + TRIB_FRAME_LENGTH_BYTES, sizeof block);
    memcpy(&version, frame + TRIB_FRAME_LENGTH_BYTES + 6, sizeof version);
    size_t expected = is_refusal ? wire_refused_sbe_block_length()
        : handshake->state == TRIB_HANDSHAKE_BEGUN ? wire_challenge_sbe_block_length()
        : wire_welcome_sbe_block_length();
    if (version != wire_hello_sbe_schema_version() || block != expected) {
        snprintf(detail, sizeof detail, "%s of %d bytes in version %d of the protocol, where %zu bytes in version %d"
                 " were expected: processes of one job are to be of one release", name, block, version, expected,
                 (int) wire_hello_sbe_schema_version());
        refuse(handshake, wire_refusalCode_WRONG_VERSION, detail);
        return trib_fail(TRIB_ATTACH_FAILED, "what answers at %s is of another release: %s", handshake->where,
                         detail);
    }
    size_t length = TRIB_FRAME_HEADER_BYTES + expected + (is_refusal ? TEXT_LENGTH_BYTES : 0);
    if (is_refusal && bytes >= length) {
        memcpy(&text, frame + length - TEXT_LENGTH_BYTES, sizeof text);
    }
    length += text;
    if (bytes != length || stated != length || length > TRIB_FRAME_MAX_HANDSHAKE) {
        snprintf(detail, sizeof detail, "%s in a frame of %u bytes, of which %zu are there, and not %zu", name, stated,
                 bytes, length);
        return out_of_order(handshake, detail);
    }
    return TRIB_OK;
}

int trib_handshake_receive(struct trib_handshake *handshake, const uint8_t *frame, size_t bytes) {
    char detail[120];
    char buffers[2][32];
    uint16_t template;
    uint16_t schema;
    if (handshake->state == TRIB_HANDSHAKE_ADMITTED || handshake->state == TRIB_HANDSHAKE_REFUSED) {
        return trib_fail(TRIB_SYSTEM, "the handshake is over");
    }
    handshake->reply_bytes = 0;
    if (bytes < TRIB_FRAME_HEADER_BYTES) {
        snprintf(detail, sizeof detail, "a frame of %zu bytes", bytes);
        return out_of_order(handshake, detail);
    }
    memcpy(&template, frame + TRIB_FRAME_LENGTH_BYTES + 2, sizeof template);
    memcpy(&schema, frame + TRIB_FRAME_LENGTH_BYTES + 4, sizeof schema);
    int expected = handshake->state == TRIB_HANDSHAKE_BEGUN ? wire_challenge_sbe_template_id()
        : wire_welcome_sbe_template_id();
    bool is_refusal = template == wire_refused_sbe_template_id();
    if (schema != wire_hello_sbe_schema_id()) {
        snprintf(detail, sizeof detail, "message %d of schema %d where %s was expected", template, schema,
                 name_of(expected, buffers[0]));
        return out_of_order(handshake, detail);
    }
    if (template != expected && !is_refusal) {
        snprintf(detail, sizeof detail, "%s where %s was expected", name_of(template, buffers[0]),
                 name_of(expected, buffers[1]));
        return out_of_order(handshake, detail);
    }
    TRIB_TRY(check_form(handshake, frame, bytes, name_of(template, buffers[0]), is_refusal));
    return is_refusal ? refused(handshake, frame, bytes)
        : handshake->state == TRIB_HANDSHAKE_BEGUN ? challenge(handshake, frame, bytes)
        : welcome(handshake, frame, bytes);
}

void trib_handshake_secret(const struct trib_handshake *handshake, bool sending, uint8_t secret[TRIB_TOKEN_BYTES]) {
    const char *label = sending ? TRIB_TO_SERVER_LABEL : TRIB_FROM_SERVER_LABEL;
    struct trib_hmac mac;
    uint8_t salt[TRIB_SHA256_BYTES];
    uint8_t key[TRIB_SHA256_BYTES];
    transcript_digest(handshake, salt);
    trib_hmac_begin(&mac, salt, sizeof salt); /* HKDF-Extract of RFC 5869 */
    trib_hmac_add(&mac, handshake->place->secret, handshake->place->secret_bytes);
    trib_hmac_end(&mac, key);
    trib_hkdf_expand(key, label, secret, TRIB_TOKEN_BYTES);
    explicit_bzero(key, sizeof key);
    explicit_bzero(&mac, sizeof mac);
}
