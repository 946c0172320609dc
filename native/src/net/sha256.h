/* SHA-256 (FIPS 180-4) and HMAC-SHA256 (RFC 2104), for the handshake. */
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

#endif
