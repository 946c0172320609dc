/*
 * The connecting side of a connection while it is set up: one frame at a time, every wait with a deadline. Afterwards
 * the descriptor is non-blocking and belongs to the caller.
 */
#ifndef TRIB_CONNECTION_H
#define TRIB_CONNECTION_H

#include "crypto.h"
#include "handshake.h"

struct trib_connection {
    int fd;
    int refusal; /* the code with which the server refused the connection, or -1 */
    bool unfinished; /* it broke, or no answer came, before it was admitted: another one may be */
    char peer[TRIB_SERVER_NAME_BYTES];
    struct trib_records *records; /* in which what follows the handshake travels, or NULL */
    struct trib_deadline deadline;
    bool waits_forever; /* and not until the deadline */
    const trib *job; /* whose failure, and whose leaving, end every wait; NULL for none */
    struct trib_handshake handshake; /* once admitted, it knows the secrets of the connection */
    uint8_t buffer[TRIB_CONNECTION_BUFFER];
};

/**
 * Connects to a Unix-domain socket, or, when path is NULL, to host:port over TCP. job: as in the connection; whole:
 * what ends the attempt beside connect.timeout, or NULL; *refused: nobody listens there.
 */
int trib_connection_open(struct trib_connection *connection, const char *path, const char *address,
                         const struct trib_settings *settings, const trib *job, struct trib_deadline *whole,
                         bool *refused);
struct addrinfo;
/** Connects to one of the addresses that a name has, in their order; all of them share the time that is left. */
int trib_connection_try(struct trib_connection *connection, const struct addrinfo *addresses,
                        const struct trib_settings *settings, bool *refused);
/** Goes through the handshake; role as in messages, wanted: the node whose server is to answer. *max_payload is what
    the server takes. */
int trib_connection_admit(struct trib_connection *connection, const struct trib_place *place, int role, int wanted,
                          int *max_payload);
/** Seals all that follows the handshake, none of which has been read yet, in records; crypto NULL: of the kernel. */
int trib_connection_encrypt(struct trib_connection *connection, const struct trib_crypto *crypto);
/** Tells the server that this side knows that it is admitted: from then on an end of the connection is one of the rank,
    and what may fail belongs before this. */
int trib_connection_join(struct trib_connection *connection);
/** Receives one frame into the buffer and not a byte more; *length is that of the frame. */
int trib_connection_receive(struct trib_connection *connection, int *length);
void trib_connection_close(struct trib_connection *connection);

#endif
