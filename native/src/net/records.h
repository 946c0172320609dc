/*
 * The records in which an encrypted connection travels, org.tributary.wire.record.Records and RecordChannel: what is
 * sent is sealed, what is received was opened. Called with the lock of the links held.
 */
#ifndef TRIB_RECORDS_H
#define TRIB_RECORDS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "base/base.h"
#include "crypto.h"

struct trib_records;

/** For a connection with these traffic secrets; NULL when memory is short. */
struct trib_records *trib_records_new(const struct trib_crypto *crypto, const uint8_t sending[TRIB_RECORD_SECRET_BYTES],
                                      const uint8_t receiving[TRIB_RECORD_SECRET_BYTES]);
/** The same for a connected socket that the kernel encrypts from now on (ktls.h); NULL with errno. */
struct trib_records *trib_records_by_kernel(int fd, const uint8_t sending[TRIB_RECORD_SECRET_BYTES],
                                            const uint8_t receiving[TRIB_RECORD_SECRET_BYTES]);
/** Takes the next key earlier than usual. */
void trib_records_renew_after(struct trib_records *records, int64_t records_per_key);
void trib_records_free(struct trib_records *records);

/** Seals what is in the vectors and sends it; returns how much it took, or -1 with EAGAIN and others as sendmsg(2);
    EBADMSG as trib_records_receive. */
ssize_t trib_records_send(struct trib_records *records, int fd, const struct iovec *vectors, size_t count);
/** Sends what was taken and still waits; whether nothing waits any more. A failure shows when sending next. */
bool trib_records_flush(struct trib_records *records, int fd);
/** Says that nothing follows, as far as the socket takes that at once. */
void trib_records_end(struct trib_records *records, int fd);
/** As recv(2) without waiting; EBADMSG when the stream cannot be read on: trib_records_problem says why. */
ssize_t trib_records_receive(struct trib_records *records, int fd, void *to, size_t room);
/** Whether there is something to receive, or an error, without reading the socket. */
bool trib_records_readable(const struct trib_records *records);
const char *trib_records_problem(const struct trib_records *records);

/** Seals bytes as one record; returns its length, 0 when libcrypto fails. */
size_t trib_records_seal(struct trib_records *records, const void *content, int bytes, bool last, uint8_t *record);

#endif
