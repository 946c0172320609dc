#include "sha256.h"

#include <string.h>

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t word, int bits) {
    return word >> bits | word << (32 - bits);
}

static void compress(uint32_t state[8], const uint8_t *block) {
    uint32_t w[64];
    for (int t = 0; t < 16; t++) {
        w[t] = (uint32_t) block[4 * t] << 24 | (uint32_t) block[4 * t + 1] << 16 | (uint32_t) block[4 * t + 2] << 8
            | block[4 * t + 3];
    }
    for (int t = 16; t < 64; t++) {
        uint32_t s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    uint32_t v[8];
    memcpy(v, state, sizeof v);
    for (int t = 0; t < 64; t++) {
        uint32_t sum1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
        uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t t1 = v[7] + sum1 + choice + constants[t] + w[t];
        uint32_t sum0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
        uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + sum0 + majority;
    }
    for (int i = 0; i < 8; i++) {
        state[i] += v[i];
    }
}

void trib_sha256_begin(struct trib_sha256 *hash) {
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
        0x1f83d9ab, 0x5be0cd19};
    memcpy(hash->state, start, sizeof start);
    hash->length = 0;
}

void trib_sha256_add(struct trib_sha256 *hash, const void *data, size_t bytes) {
    const uint8_t *from = data;
    for (size_t i = 0; i < bytes; i++) {
        hash->block[hash->length++ % TRIB_SHA256_BLOCK] = from[i];
        if (hash->length % TRIB_SHA256_BLOCK == 0) {
            compress(hash->state, hash->block);
        }
    }
}

void trib_sha256_end(struct trib_sha256 *hash, uint8_t digest[TRIB_SHA256_BYTES]) {
    uint64_t bits = hash->length * 8;
    static const uint8_t padding[TRIB_SHA256_BLOCK] = {0x80};
    size_t used = hash->length % TRIB_SHA256_BLOCK;
    trib_sha256_add(hash, padding, used < 56 ? 56 - used : 120 - used);
    uint8_t length[8];
    for (int i = 0; i < 8; i++) {
        length[i] = (uint8_t) (bits >> (56 - 8 * i));
    }
    trib_sha256_add(hash, length, sizeof length);
    for (int i = 0; i < TRIB_SHA256_BYTES; i++) {
        digest[i] = (uint8_t) (hash->state[i / 4] >> (24 - 8 * (i % 4)));
    }
}

void trib_hmac_begin(struct trib_hmac *mac, const void *key, size_t bytes) {
    uint8_t block[TRIB_SHA256_BLOCK] = {0};
    if (bytes > sizeof block) {
        trib_sha256_begin(&mac->inner);
        trib_sha256_add(&mac->inner, key, bytes);
        trib_sha256_end(&mac->inner, block);
    } else if (bytes > 0) {
        memcpy(block, key, bytes);
    }
    for (size_t i = 0; i < sizeof block; i++) {
        block[i] ^= 0x36;
    }
    trib_sha256_begin(&mac->inner);
    trib_sha256_add(&mac->inner, block, sizeof block);
    for (size_t i = 0; i < sizeof block; i++) {
        block[i] ^= 0x36 ^ 0x5c;
    }
    trib_sha256_begin(&mac->outer);
    trib_sha256_add(&mac->outer, block, sizeof block);
}

void trib_hmac_add(struct trib_hmac *mac, const void *data, size_t bytes) {
    trib_sha256_add(&mac->inner, data, bytes);
}

void trib_hmac_end(struct trib_hmac *mac, uint8_t digest[TRIB_SHA256_BYTES]) {
    trib_sha256_end(&mac->inner, digest);
    trib_sha256_add(&mac->outer, digest, TRIB_SHA256_BYTES);
    trib_sha256_end(&mac->outer, digest);
}

void trib_hkdf_expand(const uint8_t key[TRIB_SHA256_BYTES], const char *label, uint8_t *out, size_t bytes) {
    static const uint8_t first_block = 1;
    uint8_t block[TRIB_SHA256_BYTES];
    struct trib_hmac mac;
    trib_hmac_begin(&mac, key, TRIB_SHA256_BYTES);
    trib_hmac_add(&mac, label, strlen(label));
    trib_hmac_add(&mac, &first_block, 1);
    trib_hmac_end(&mac, block);
    memcpy(out, block, bytes);
    explicit_bzero(block, sizeof block);
    explicit_bzero(&mac, sizeof mac);
}
