/* The handshake without a connection: what a rogue server, or somebody on the way, can do to a frame in every state. */
#include "net/handshake.h"

#include "testing.h"
#include "units.h"

#include "wire/refusalCode.h"
#include "wire/role.h"

#define NODE 1

struct frame {
    uint8_t bytes[TRIB_FRAME_MAX_HANDSHAKE];
    size_t length;
};

/** A line of the file that the Java test holds itself against, too. */
static struct frame vector(const char *name) {
    char line[4 * TRIB_FRAME_MAX_HANDSHAKE];
    struct frame frame = {.length = 0};
    FILE *file = fopen(HANDSHAKE_VECTORS, "r");
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file) != NULL) {
        size_t length = strlen(name);
        if (strncmp(line, name, length) == 0 && line[length] == ' ') {
            for (const char *at = line + length + 1; *at > ' '; at += 2) {
                unsigned byte;
                CHECK(sscanf(at, "%2x", &byte) == 1);
                frame.bytes[frame.length++] = (uint8_t) byte;
            }
        }
    }
    fclose(file);
    CHECK(frame.length > 0);
    return frame;
}

static uint8_t secret[] = "a secret of 20 bytes";
static const struct trib_place place = {.job_id = "job", .secret = secret, .secret_bytes = sizeof secret - 1, .rank = 3,
    .node = NODE, .agreement = "collective.chunk=16k\n"};

static struct trib_handshake begun(int wanted) {
    struct trib_handshake handshake = {.place = &place, .where = "there:7",
        .role = wire_role_REMOTE_RANK, .wanted = wanted, .pid = 99};
    uint8_t nonce[TRIB_TOKEN_BYTES];
    memset(nonce, 1, sizeof nonce);
    trib_handshake_begin(&handshake, nonce);
    return handshake;
}

static int receive(struct trib_handshake *handshake, const struct frame *frame) {
    return trib_handshake_receive(handshake, frame->bytes, frame->length);
}

/** A handshake that awaits Challenge, or Welcome. */
static struct trib_handshake at(bool challenged) {
    struct trib_handshake handshake = begun(NODE);
    if (challenged) {
        struct frame challenge = vector("challenge");
        OK(receive(&handshake, &challenge));
    }
    return handshake;
}

static void expect_reply(const struct trib_handshake *handshake, const char *name) {
    struct frame expected = vector(name);
    EQUAL(handshake->reply_bytes, expected.length);
    EQUAL(memcmp(handshake->reply, expected.bytes, expected.length), 0);
}

static void refuses(struct trib_handshake *handshake, const struct frame *frame, int code, const char *text) {
    FAILS(receive(handshake, frame), TRIB_ATTACH_FAILED, text);
    EQUAL(handshake->state, TRIB_HANDSHAKE_REFUSED);
    EQUAL(handshake->refusal, code);
    FAILS(receive(handshake, frame), TRIB_SYSTEM, "over");
}

static void should_say_what_java_says_when_admitted(void) {
    struct trib_handshake handshake = begun(NODE);
    struct frame challenge = vector("challenge");
    struct frame welcome = vector("welcome");
    uint8_t key[TRIB_TOKEN_BYTES];
    expect_reply(&handshake, "hello");
    OK(receive(&handshake, &challenge));
    EQUAL(handshake.state, TRIB_HANDSHAKE_CHALLENGED);
    expect_reply(&handshake, "response");
    OK(receive(&handshake, &welcome));
    EQUAL(handshake.state, TRIB_HANDSHAKE_ADMITTED);
    EQUAL(handshake.reply_bytes, 0);
    EQUAL(handshake.max_payload, 4711);
    trib_handshake_secret(&handshake, true, key);
    EQUAL(memcmp(key, vector("to-server").bytes, sizeof key), 0);
    trib_handshake_secret(&handshake, false, key);
    EQUAL(memcmp(key, vector("from-server").bytes, sizeof key), 0);
}

static void should_refuse_every_other_message(void) {
    static const char *const vectors[] = {"hello", "challenge", "response", "welcome"};
    static const char *const names[] = {"Hello (1)", "Challenge (2)", "Response (3)", "Welcome (4)"};
    for (int challenged = 0; challenged < 2; challenged++) {
        int expected = challenged ? 3 : 1;
        for (int i = 0; i < 4; i++) {
            char text[100];
            struct frame frame = vector(vectors[i]);
            struct trib_handshake handshake = at(challenged);
            snprintf(text, sizeof text, "%s where %s was expected", names[i], names[expected]);
            if (i != expected) {
                refuses(&handshake, &frame, wire_refusalCode_OUT_OF_ORDER, text);
                CHECK(handshake.reply_bytes > 0 && handshake.reply[6] == 5);
            }
        }
        struct trib_handshake handshake = at(challenged);
        struct frame web = {.bytes = "HTTP/1.1 400 Bad Request", .length = 24};
        refuses(&handshake, &web, wire_refusalCode_OUT_OF_ORDER, "does not speak Tributary's protocol");
    }
}

/** Each bit of what the server says counts. */
static void should_refuse_what_is_changed_on_the_way(void) {
    for (int challenged = 0; challenged < 2; challenged++) {
        struct frame frame = vector(challenged ? "welcome" : "challenge");
        for (size_t bit = 0; bit < 8 * frame.length; bit++) {
            struct trib_handshake handshake = at(challenged);
            struct frame changed = frame;
            changed.bytes[bit / 8] ^= (uint8_t) (1 << bit % 8);
            EQUAL(receive(&handshake, &changed), TRIB_ATTACH_FAILED);
            EQUAL(handshake.state, TRIB_HANDSHAKE_REFUSED);
        }
    }
}

static void should_refuse_what_is_truncated_or_too_long(void) {
    for (int challenged = 0; challenged < 2; challenged++) {
        struct frame whole = vector(challenged ? "welcome" : "challenge");
        for (size_t length = 0; length <= whole.length + 3; length++) {
            for (int honest = 0; honest < 2 && length != whole.length; honest++) {
                struct trib_handshake handshake = at(challenged);
                struct frame frame = whole;
                uint32_t stated = (uint32_t) length;
                frame.length = length;
                if (honest && length >= sizeof stated) {
                    memcpy(frame.bytes, &stated, sizeof stated);
                }
                refuses(&handshake, &frame, wire_refusalCode_OUT_OF_ORDER, "protocol");
            }
        }
    }
}

static void should_refuse_the_server_of_another_node(void) {
    struct trib_handshake other = begun(2);
    struct frame challenge = vector("challenge");
    /* Whom it looks for is part of what is proved. */
    refuses(&other, &challenge, wire_refusalCode_WRONG_SECRET, "does not know the secret of job job");
}

static void should_believe_a_refusal_only_when_it_is_proved(void) {
    struct frame refused = vector("refused");
    struct frame changed = refused;
    changed.bytes[refused.length - 1] = 27;
    struct trib_handshake early = at(false);
    refuses(&early, &changed, wire_refusalCode_ENDING, "there:7 refused the connection: ENDING, endin?");
    EQUAL(early.reply_bytes, 0);
    struct trib_handshake late = at(true);
    refuses(&late, &changed, wire_refusalCode_WRONG_SECRET, "the proof in Refused is wrong");
    CHECK(late.reply_bytes > 0);
    struct trib_handshake proved = at(true);
    refuses(&proved, &refused, wire_refusalCode_ENDING, "there:7 refused the connection: ENDING, ending");
}

/** The server has turned away who is slow before it has seen the Response. */
static void should_believe_a_refusal_that_crosses_the_response(void) {
    struct frame refused = vector("turned-away");
    struct trib_handshake handshake = at(true);
    refuses(&handshake, &refused, wire_refusalCode_TOO_MANY, "there:7 refused the connection: TOO_MANY, too slow");
    struct trib_handshake misled = at(true);
    refused.bytes[refused.length - 1] ^= 1;
    refuses(&misled, &refused, wire_refusalCode_WRONG_SECRET, "the proof in Refused is wrong");
}

static void should_name_both_releases(void) {
    struct trib_handshake handshake = at(false);
    struct frame challenge = vector("challenge");
    challenge.bytes[10] = 2;
    refuses(&handshake, &challenge, wire_refusalCode_WRONG_VERSION, "in version 2 of the protocol, where 68 bytes in"
            " version 1 were expected");
}

void test_handshake(void) {
    should_say_what_java_says_when_admitted();
    should_refuse_every_other_message();
    should_refuse_what_is_changed_on_the_way();
    should_refuse_what_is_truncated_or_too_long();
    should_refuse_the_server_of_another_node();
    should_believe_a_refusal_only_when_it_is_proved();
    should_believe_a_refusal_that_crosses_the_response();
    should_name_both_releases();
}
