/* AES-128-GCM of libcrypto, which is loaded when a job is encrypted: nothing is linked, no headers are needed. */
#ifndef TRIB_CRYPTO_H
#define TRIB_CRYPTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/client.h"

typedef int (*trib_cipher_init)(void *context, const void *cipher, void *engine, const uint8_t *key,
                                const uint8_t *nonce);
typedef int (*trib_cipher_update)(void *context, uint8_t *out, int *out_bytes, const uint8_t *in, int in_bytes);
typedef int (*trib_cipher_final)(void *context, uint8_t *out, int *out_bytes);

/** The functions that are used; they are the same in libcrypto 1.1 and 3. */
struct trib_crypto {
    const void *(*aes_128_gcm)(void);
    void *(*context_new)(void);
    void (*context_free)(void *context);
    int (*context_control)(void *context, int command, int number, void *argument);
    trib_cipher_init encrypt_init;
    trib_cipher_update encrypt_update;
    trib_cipher_final encrypt_final;
    trib_cipher_init decrypt_init;
    trib_cipher_update decrypt_update;
    trib_cipher_final decrypt_final;
};

/**
 * Loads the first of the libraries that is there (names: NULL-terminated, or NULL for libcrypto.so.3 and
 * libcrypto.so.1.1); it stays loaded. Returns a status.
 */
int trib_crypto_load(struct trib_crypto *crypto, const char *const *names);

/** Encrypts into out, which has room for the tag behind so many bytes; out may be in. */
bool trib_crypto_seal(const struct trib_crypto *crypto, void *context, const uint8_t nonce[TRIB_NONCE_BYTES],
                      const uint8_t *head, int head_bytes, const uint8_t *in, int bytes, uint8_t *out);
/** Decrypts so many bytes and checks the tag behind them; what is in out means nothing when that is wrong. */
bool trib_crypto_open(const struct trib_crypto *crypto, void *context, const uint8_t nonce[TRIB_NONCE_BYTES],
                      const uint8_t *head, int head_bytes, const uint8_t *in, int bytes, uint8_t *out);

#endif
