/* A rank without a job, with connections at whose other ends the test stands. */
#ifndef TRIB_LINKED_H
#define TRIB_LINKED_H

#include "testing.h"

#include "link/links.h"

#define LARGE (8 << 20) /* more than sockets hold */
#define SERVERS 3
#define NODES 4

extern trib *job;
extern struct trib_link *link_to[SERVERS];
extern int server[SERVERS]; /* the other ends */
extern int lifeline_server; /* that of the lifeline */
extern uint8_t large[LARGE]; /* to be sent; nobody writes there */
extern uint8_t got_rid_of[64 << 10]; /* what was received and is of no interest */
extern const char *const ADDRESSES;

/** The rank 0 of node 0; more: settings as "key=value", NULL-terminated, or NULL. */
void begin(const char *servers, const char *const *more);
/** Connections that have been admitted, the first of them to the own server, and a lifeline that hears nothing. */
void connect_all(void);
/** Connects it to so many more servers, of which nobody hears. */
void add_unused(int count);
void finish(bool connected);
/** Reads a flag with the lock of the links. */
bool sees(const bool *flag);
void await(const bool *flag);
/** Receives bytes that a rank has sent, as a server does. */
void receive(int fd, uint8_t *to, size_t bytes);
/** The server of that node receives what is in large. */
void receive_large(int node);
/** Sends as much as it takes. */
void fill(int fd);
/** Returns the template of the next frame. */
int receive_frame(int fd);
/** A server says how many one-way requests it has executed. */
void acknowledge(int fd, int64_t executed);
/** A server has done what that request asked for. */
void answer_done(int fd, int64_t request);
/** A server answers a get. */
void answer_data(int fd, int64_t request, const void *bytes, int64_t count);

/* ---- turns.c ---- */

void turns(void);

/* ---- router.c ---- */

void router(void);

/* ---- blocks.c ---- */

void blocks(void);

/* ---- finding.c ---- */

void finding(void);

/* ---- questions.c ---- */

void questions(void);

/* ---- breaking.c ---- */

void breaking(void);

/* ---- farewell.c ---- */

void farewell(void);

#endif
