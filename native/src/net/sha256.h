/* SHA-256 (FIPS 180-4), HMAC-SHA256 (RFC 2104) and HKDF (RFC 5869), for the handshake and the keys of records. */
#ifndef TRIB_SHA256_H
#define TRIB_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define TRIB_SHA256_BYTES 32
#define TRIB_SHA256_BLOCK 64

struct trib_sha256 {
    uint32_t state[8];
    uint64_t length;
    uint8_t block[TRIB_SHA256_BLOCK];
};

void trib_sha256_begin(struct trib_sha256 *hash);
void trib_sha256_add(struct trib_sha256 *hash, const void *data, size_t bytes);
void trib_sha256_end(struct trib_sha256 *hash, uint8_t digest[TRIB_SHA256_BYTES]);

struct trib_hmac {
    struct trib_sha256 inner;
    struct trib_sha256 outer;
};

void trib_hmac_begin(struct trib_hmac *mac, const void *key, size_t bytes);
void trib_hmac_add(struct trib_hmac *mac, const void *data, size_t bytes);
void trib_hmac_end(struct trib_hmac *mac, uint8_t digest[TRIB_SHA256_BYTES]);

/** HKDF-Expand, of at most 32 bytes; out may be the key. */
void trib_hkdf_expand(const uint8_t key[TRIB_SHA256_BYTES], const char *label, uint8_t *out, size_t bytes);

#endif
