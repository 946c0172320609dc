/* Items that all processes of a job must have alike; see org.tributary.wire.Agreement. */
#include "handshake.h"

#define DIGEST_BYTES 8

/** A value that is written piece by piece, and may become too long to be sent as it is. */
struct value {
    char text[TRIB_AGREEMENT_VALUE_BYTES + 1];
    size_t bytes;
    bool printable;
    struct trib_sha256 hash;
};

static void begin(struct value *value) {
    value->bytes = 0;
    value->printable = true;
    trib_sha256_begin(&value->hash);
}

static void add(void *context, const char *text, size_t bytes) {
    struct value *value = context;
    trib_sha256_add(&value->hash, text, bytes);
    for (size_t i = 0; i < bytes; i++, value->bytes++) {
        value->printable &= text[i] >= ' ' && text[i] <= '~';
        if (value->bytes < TRIB_AGREEMENT_VALUE_BYTES) {
            value->text[value->bytes] = text[i];
        }
    }
}

struct lines {
    char *text;
    size_t length;
};

static void end(struct value *value, const char *name, struct lines *lines) {
    char *at = lines->text + lines->length;
    size_t room = TRIB_AGREEMENT_BYTES + 1 - lines->length;
    if (value->printable && value->bytes <= TRIB_AGREEMENT_VALUE_BYTES) {
        lines->length += (size_t) snprintf(at, room, "%s=%.*s\n", name, (int) value->bytes, value->text);
        return;
    }
    uint8_t digest[TRIB_SHA256_BYTES];
    char hex[2 * DIGEST_BYTES + 1];
    trib_sha256_end(&value->hash, digest);
    for (int i = 0; i < DIGEST_BYTES; i++) {
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    }
    lines->length += (size_t) snprintf(at, room, "%s=(%zu bytes, SHA-256 %s)\n", name, value->bytes, hex);
}

static void add_layout(const struct trib_topology *topology, struct lines *lines) {
    struct value value;
    begin(&value);
    trib_topology_write(topology, add, &value);
    end(&value, TRIB_AGREED_LAYOUT, lines);
}

static void add_setting(void *context, const char *key, const char *text, size_t bytes) {
    struct value value;
    begin(&value);
    add(&value, text, bytes);
    end(&value, key, context);
}

void trib_handshake_agreement(const struct trib_settings *settings, const struct trib_topology *topology,
                    char text[TRIB_AGREEMENT_BYTES + 1]) {
    struct lines lines = {.text = text};
    char release[TRIB_RELEASE_BYTES];
    trib_release_text(release);
    add_setting(&lines, TRIB_AGREED_RELEASE, release, strlen(release));
    add_layout(topology, &lines);
    trib_settings_shared(settings, add_setting, &lines);
}
