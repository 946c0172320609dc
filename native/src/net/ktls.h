/*
 * A connection whose records the kernel makes and opens (kTLS), org.tributary.wire.record.KernelTls: TLS 1.3 with
 * AES-128-GCM, under keys that follow each other as in records.c. Called with the lock of the links held.
 */
#ifndef TRIB_KTLS_H
#define TRIB_KTLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "crypto.h"
#include "records.h"

/** One direction: the secret of its key, and how many records that has seen. */
struct trib_ktls_key {
    uint8_t secret[TRIB_RECORD_SECRET_BYTES];
    int64_t counted; /* by the kernel, when it was asked last */
    int64_t since;   /* at most so many since then */
};

struct trib_ktls {
    struct trib_ktls_key sending;
    struct trib_ktls_key receiving;
    int64_t renew_after;
    int64_t opened; /* records before the present key */
    bool ended;     /* the other side has said so */
    const char *problem; /* why the stream cannot be read on, when that was found after good content; else NULL */
};

/** Tries whether the kernel of this machine can do it; if not, the error says what lacks and what to do. */
int trib_ktls_check(void);
/** From now on everything on a connected socket, of which nothing encrypted has been read, is; 0 or an errno. */
int trib_ktls_begin(struct trib_ktls *ktls, int fd, const uint8_t sending[TRIB_RECORD_SECRET_BYTES],
                    const uint8_t receiving[TRIB_RECORD_SECRET_BYTES]);
/** Fills the kernel's structure for the key of a secret, struct tls12_crypto_info_aes_gcm_128 of linux/tls.h. */
void trib_ktls_info(const uint8_t secret[TRIB_RECORD_SECRET_BYTES], uint8_t info[TRIB_KTLS_INFO_BYTES]);
/** As sendmsg(2), without waiting. */
ssize_t trib_ktls_send(struct trib_ktls *ktls, int fd, const struct iovec *vectors, size_t count);
/** As recv(2) without waiting; EBADMSG when the stream cannot be read on, and *problem says why. */
ssize_t trib_ktls_receive(struct trib_ktls *ktls, int fd, void *to, size_t room, const char **problem);
/** Records opened so far. */
int64_t trib_ktls_opened(const struct trib_ktls *ktls, int fd);
/** Says that nothing follows, as far as the socket takes that at once. */
void trib_ktls_end(int fd);

#endif
