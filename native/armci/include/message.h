/* Messages and collectives of ARMCI programs. SCOPE_NODE is the calling rank, SCOPE_MASTERS are all ranks. */
#ifndef TRIBUTARY_ARMCI_MESSAGE_H
#define TRIBUTARY_ARMCI_MESSAGE_H

#include <armci.h>

#ifdef __cplusplus
extern "C" {
#endif

enum armci_scope_e { SCOPE_ALL, SCOPE_NODE, SCOPE_MASTERS };
enum armci_type_e { ARMCI_INT, ARMCI_LONG, ARMCI_LONG_LONG, ARMCI_FLOAT, ARMCI_DOUBLE };

int armci_msg_me(void);
int armci_msg_nproc(void);
void armci_msg_abort(int code);
/** Seconds since some time. */
double armci_timer(void);

/**
 * Without MPI, at most 1 KiB is on its way before the target is in armci_msg_rcv or armci_msg_rcvany, whatever message
 * it waits for there, or itself waits in armci_msg_snd; a longer message waits for that.
 */
void armci_msg_snd(int tag, void *buffer, int bytes, int to);
/** received: bytes that came; or NULL. A message that is longer than the buffer ends the job. */
void armci_msg_rcv(int tag, void *buffer, int capacity, int *received, int from);
/**
 * Receives from any rank; returns its number. Without MPI, ends the job when every other rank has left, unless
 * ARMCI_Init_thread was called with MPI_THREAD_SERIALIZED or more, as a thread of this rank may send then.
 */
int armci_msg_rcvany(int tag, void *buffer, int capacity, int *received);

void armci_msg_barrier(void);
void armci_msg_group_barrier(ARMCI_Group *group);
/** A binary tree of the ranks; -1 for a missing parent or child. */
void armci_msg_bintree(int scope, int *root, int *up, int *left, int *right);

/* Roots are ranks, also in a group. */
void armci_msg_bcast(void *buffer, int bytes, int root);
void armci_msg_brdcst(void *buffer, int bytes, int root);
void armci_msg_bcast_scope(int scope, void *buffer, int bytes, int root);
void armci_msg_group_bcast_scope(int scope, void *buffer, int bytes, int root, ARMCI_Group *group);

/*
 * Reductions, in place on all members. op: + * max min absmax absmin, or, for integers, land && lor || band & bor | or.
 */
void armci_msg_gop_scope(int scope, void *x, int n, char *op, int type);
void armci_msg_igop(int *x, int n, char *op);
void armci_msg_lgop(long *x, int n, char *op);
void armci_msg_llgop(long long *x, int n, char *op);
void armci_msg_fgop(float *x, int n, char *op);
void armci_msg_dgop(double *x, int n, char *op);
void armci_msg_group_gop_scope(int scope, void *x, int n, char *op, int type, ARMCI_Group *group);
void armci_msg_group_igop(int *x, int n, char *op, ARMCI_Group *group);
void armci_msg_group_lgop(long *x, int n, char *op, ARMCI_Group *group);
void armci_msg_group_llgop(long long *x, int n, char *op, ARMCI_Group *group);
void armci_msg_group_fgop(float *x, int n, char *op, ARMCI_Group *group);
void armci_msg_group_dgop(double *x, int n, char *op, ARMCI_Group *group);
/** Reductions whose result rank 0 alone gets. */
void armci_msg_reduce(void *x, int n, char *op, int type);
void armci_msg_reduce_scope(int scope, void *x, int n, char *op, int type);

/**
 * Gives everybody the n bytes of the rank with the least (min) or greatest (max) value, which is the first of them and
 * of that type. A rank that does not contribute has none.
 */
void armci_msg_sel(void *x, int n, char *op, int type, int contribute);
void armci_msg_sel_scope(int scope, void *x, int n, char *op, int type, int contribute);

/** Completes arrays of n addresses, of which each rank has set its own and the others are NULL. */
void armci_exchange_address(void *addresses[], int n);
void armci_exchange_address_grp(void *addresses[], int n, ARMCI_Group *group);

/* With SCOPE_NODE. */
void armci_msg_clus_brdcst(void *buffer, int bytes);
void armci_msg_clus_igop(int *x, int n, char *op);
void armci_msg_clus_lgop(long *x, int n, char *op);
void armci_msg_clus_llgop(long long *x, int n, char *op);
void armci_msg_clus_fgop(float *x, int n, char *op);
void armci_msg_clus_dgop(double *x, int n, char *op);
/** From member `master` of the group to the `count` - 1 members that follow it, in messages with the tag 30111. */
void armci_grp_clus_brdcst(void *buffer, int bytes, int master, int count, ARMCI_Group *group);

#ifdef __cplusplus
}
#endif

#endif
