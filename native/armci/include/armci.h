/*
 * The ARMCI interface on Tributary, binary compatible with Debian's libarmci-mpi, so that libga-openmpi.a and
 * libga-mpich.a link against it as they are. docs/global-arrays.md says how to link and run.
 *
 * Ranks are those of the communicator that ARMCI was initialized with; `proc` is always such a rank, also in operations
 * on memory of a group. Addresses of global memory are those that they have in the rank that owns them.
 *
 * Functions that return int return 0, or something else after a message on standard error. Those that cannot say so
 * print the message and abort the job.
 *
 * Threads. Everything may be called from any thread, with these exceptions. Collective calls, messages, and
 * ARMCIX_Progress call MPI, and so keep to the level of thread support that it was initialized with. Waits for mutexes
 * and notifications, and ARMCIX_Trylock_hdl, call it from threads that may: from all with MPI_THREAD_MULTIPLE and
 * MPI_THREAD_SERIALIZED (where the program sees to it that no other thread is in MPI), else from the one that has
 * called ARMCI_Init. Of four threads at a time, collectives that do not match are noticed. The collective calls of one
 * group are made by one thread at a time. Without MPI, any threads may send and receive messages at a time; those of
 * one tag that several threads send to one rank, or receive, come in any order. Mutexes belong to ranks, not threads: a
 * thread that locks one that another thread of its rank holds ends the job.
 *
 * Every ARMCI_X is a weak alias of PARMCI_X, so that a profiler can replace it.
 */
#ifndef TRIBUTARY_ARMCI_H
#define TRIBUTARY_ARMCI_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Programs ask for this to know that the ARMCI that they have needs MPI. */
#define ARMCI_MPI 3
#define ARMCI_TRIBUTARY 1

typedef long armci_size_t;
#define ARMCII_MPI_SIZE_T MPI_LONG

/* ---- Beginning and end ---- */

/**
 * Joins the job; collective. Counted: only as many calls of ARMCI_Finalize as of this leave it. Needs MPI to be
 * initialized, unless `tributary run` or a job script describes the job in the environment.
 */
int ARMCI_Init(void);
int ARMCI_Init_args(int *argc, char ***argv);
/** Fails when MPI does not provide that level of thread support. */
int ARMCI_Init_thread(int mpi_thread_level);
/** The ranks are those of the communicator. */
int ARMCI_Init_thread_comm(int mpi_thread_level, MPI_Comm comm);
int ARMCI_Initialized(void);
int ARMCI_Finalize(void);
/** Removes what jobs of this user that were killed have left in shared memory of this machine. */
void ARMCI_Cleanup(void);
/** Prints the message, and ends the job with the code; with 1 where the process would end as if all were well. */
void ARMCI_Error(const char *message, int code);

/* ---- Memory ---- */

/**
 * Allocates global memory, zeroed; collective. Sizes may differ; bases[i] is the address in rank i, NULL for size 0.
 */
int ARMCI_Malloc(void **bases, armci_size_t bytes);
/** Frees it; collective. The base address in this rank, NULL when it has none. */
int ARMCI_Free(void *base);
/** Memory for buffers of this process alone. */
void *ARMCI_Malloc_local(armci_size_t bytes);
int ARMCI_Free_local(void *memory);

/* The kinds of memory that a device names are all one here. */
int ARMCI_Malloc_memdev(void **bases, armci_size_t bytes, const char *device);
int ARMCI_Free_memdev(void *base);

/** Begins direct access to own global memory: data that others put before their last synchronization is there. */
void ARMCI_Access_begin(void *memory);
/** Ends direct access: ranks that synchronize with this one see the data that it has stored. */
void ARMCI_Access_end(void *memory);

/*
 * ---- Blocking operations; sources come first. Source and target of one call may overlap in own memory, as if the
 * source were copied first; but not in accumulates at addresses that are not multiples of the element, nor in vectors
 * of several allocations. ----
 */

enum ARMCI_Acc_e {
    ARMCI_ACC_INT, ARMCI_ACC_LNG, ARMCI_ACC_FLT, ARMCI_ACC_DBL,
    ARMCI_ACC_CPL, /* pair of float */
    ARMCI_ACC_DCP  /* pair of double */
};

void ARMCI_Copy(void *src, void *dst, int bytes);

/** Returns when the source may be reused. */
int ARMCI_Put(void *src, void *dst, int bytes, int proc);
int ARMCI_Get(void *src, void *dst, int bytes, int proc);
/** Adds scale * source; atomic by element, against other accumulates. */
int ARMCI_Acc(int datatype, void *scale, void *src, void *dst, int bytes, int proc);

/**
 * Strided: count[0] is the block in bytes; count[1..levels] and strides in bytes, which may be negative, count blocks
 * at each level.
 */
int ARMCI_PutS(void *src, int src_strides[], void *dst, int dst_strides[], int count[], int levels, int proc);
int ARMCI_GetS(void *src, int src_strides[], void *dst, int dst_strides[], int count[], int levels, int proc);
int ARMCI_AccS(int datatype, void *scale, void *src, int src_strides[], void *dst, int dst_strides[], int count[],
               int levels, int proc);

/** A rank that sees the flag sees the data. */
int ARMCI_Put_flag(void *src, void *dst, int bytes, int *flag, int value, int proc);
int ARMCI_PutS_flag(void *src, int src_strides[], void *dst, int dst_strides[], int count[], int levels, int *flag,
                    int value, int proc);

/** Many segments of one length. */
typedef struct {
    void **src_ptr_array;
    void **dst_ptr_array;
    int bytes;
    int ptr_array_len;
} armci_giov_t;

int ARMCI_PutV(armci_giov_t *vectors, int count, int proc);
int ARMCI_GetV(armci_giov_t *vectors, int count, int proc);
int ARMCI_AccV(int datatype, void *scale, armci_giov_t *vectors, int count, int proc);

int ARMCI_PutValueInt(int value, void *dst, int proc);
int ARMCI_PutValueLong(long value, void *dst, int proc);
int ARMCI_PutValueFloat(float value, void *dst, int proc);
int ARMCI_PutValueDouble(double value, void *dst, int proc);
int ARMCI_GetValueInt(void *src, int proc);
long ARMCI_GetValueLong(void *src, int proc);
float ARMCI_GetValueFloat(void *src, int proc);
double ARMCI_GetValueDouble(void *src, int proc);

/** Copies a region of this process into a buffer, or back. */
void armci_write_strided(void *memory, int levels, int strides[], int count[], char *buffer);
void armci_read_strided(void *memory, int levels, int strides[], int count[], char *buffer);

/* ---- Non-blocking operations ---- */

/** Stands for any number of operations until it is waited for. Initialize it before its first use. */
typedef struct armci_hdl_s {
    int target;
    int aggregate;
} armci_hdl_t;

void ARMCI_INIT_HANDLE(armci_hdl_t *handle);
/** Operations of this handle are merged into few messages, which leave when it is waited for or tested. */
void ARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t *handle);
void ARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t *handle);

/* A handle of NULL leaves the operation to ARMCI_WaitProc and ARMCI_WaitAll. */
int ARMCI_NbPut(void *src, void *dst, int bytes, int proc, armci_hdl_t *handle);
int ARMCI_NbGet(void *src, void *dst, int bytes, int proc, armci_hdl_t *handle);
int ARMCI_NbAcc(int datatype, void *scale, void *src, void *dst, int bytes, int proc, armci_hdl_t *handle);
int ARMCI_NbPutS(void *src, int src_strides[], void *dst, int dst_strides[], int count[], int levels, int proc,
                 armci_hdl_t *handle);
int ARMCI_NbGetS(void *src, int src_strides[], void *dst, int dst_strides[], int count[], int levels, int proc,
                 armci_hdl_t *handle);
int ARMCI_NbAccS(int datatype, void *scale, void *src, int src_strides[], void *dst, int dst_strides[], int count[],
                 int levels, int proc, armci_hdl_t *handle);
int ARMCI_NbPutV(armci_giov_t *vectors, int count, int proc, armci_hdl_t *handle);
int ARMCI_NbGetV(armci_giov_t *vectors, int count, int proc, armci_hdl_t *handle);
int ARMCI_NbAccV(int datatype, void *scale, armci_giov_t *vectors, int count, int proc, armci_hdl_t *handle);
int ARMCI_NbPutValueInt(int value, void *dst, int proc, armci_hdl_t *handle);
int ARMCI_NbPutValueLong(long value, void *dst, int proc, armci_hdl_t *handle);
int ARMCI_NbPutValueFloat(float value, void *dst, int proc, armci_hdl_t *handle);
int ARMCI_NbPutValueDouble(double value, void *dst, int proc, armci_hdl_t *handle);

/** Waits for the operations of this handle, and for no others. */
int ARMCI_Wait(armci_hdl_t *handle);
/** Returns, without waiting, 0 when they are complete and 1 when they are not; less than 0 after a failure. */
int ARMCI_Test(armci_hdl_t *handle);
/** Waits for all non-blocking operations on a rank. */
int ARMCI_WaitProc(int proc);
int ARMCI_WaitAll(void);

/* ---- Order ---- */

/** Waits until everything that this rank has sent to another has been executed there. */
void ARMCI_Fence(int proc);
void ARMCI_AllFence(void);
/** Fences all, and waits for all ranks. */
void ARMCI_Barrier(void);

/* ---- Mutexes and atomic operations ---- */

/** Creates that many mutexes at this rank; collective. One set at a time; a rank may have none, but not all. */
int ARMCI_Create_mutexes(int count);
int ARMCI_Destroy_mutexes(void);
void ARMCI_Lock(int mutex, int proc);
void ARMCI_Unlock(int mutex, int proc);

enum ARMCI_Rmw_e { ARMCI_FETCH_AND_ADD, ARMCI_FETCH_AND_ADD_LONG, ARMCI_SWAP, ARMCI_SWAP_LONG };

/** Stores the old value in *local. Adds `value`, or stores what *local held. The word is int, or long. */
int ARMCI_Rmw(int operation, void *local, void *remote, int value, int proc);

/* ---- Groups ---- */

/** Copied at will. A process that is no member has the communicator MPI_COMM_NULL, rank -1 and size 0. */
typedef struct {
    MPI_Comm comm;
    MPI_Comm noncoll_pgroup_comm;
    int *grp_to_abs;
    int *abs_to_grp;
    int rank;
    int size;
} ARMCI_Group;

/** Makes a group of ranks of the default group; collective over that one. */
void ARMCI_Group_create(int count, int *ranks, ARMCI_Group *group);
/** Makes a group of ranks of the parent; collective over the parent. */
void ARMCI_Group_create_child(int count, int *ranks, ARMCI_Group *group, ARMCI_Group *parent);
void ARMCI_Group_free(ARMCI_Group *group);
int ARMCI_Group_rank(ARMCI_Group *group, int *rank);
void ARMCI_Group_size(ARMCI_Group *group, int *size);
void ARMCI_Group_set_default(ARMCI_Group *group);
void ARMCI_Group_get_default(ARMCI_Group *group);
void ARMCI_Group_get_world(ARMCI_Group *group);
/** The rank of a member; -1 after a message when there is none. */
int ARMCI_Absolute_id(ARMCI_Group *group, int group_rank);

/** As ARMCI_Malloc, of the members alone; bases in the order of the group. */
int ARMCI_Malloc_group(void **bases, armci_size_t bytes, ARMCI_Group *group);
int ARMCI_Malloc_group_memdev(void **bases, armci_size_t bytes, ARMCI_Group *group, const char *device);
int ARMCI_Free_group(void *base, ARMCI_Group *group);

#include <message.h>

/*
 * ---- Topology: each rank is a domain. A program can use its own memory alone directly, so no other rank is on the
 * same node in the sense of ARMCI_Same_node, and shared memory is not used in the sense of ARMCI_Uses_shm. ----
 */

enum armci_domain_e { ARMCI_DOMAIN_SMP };
typedef int armci_domain_t;

int armci_domain_nprocs(armci_domain_t domain, int id);
int armci_domain_id(armci_domain_t domain, int proc);
int armci_domain_glob_proc_id(armci_domain_t domain, int id, int local_proc);
int armci_domain_my_id(armci_domain_t domain);
int armci_domain_count(armci_domain_t domain);
int armci_domain_same_id(armci_domain_t domain, int proc);
int ARMCI_Same_node(int proc);
int ARMCI_Uses_shm(void);
int ARMCI_Uses_shm_grp(ARMCI_Group *group);
/**
 * Bytes that this rank expects to allocate at most; the message of a failing allocation names them. Reserves nothing.
 */
void ARMCI_Set_shm_limit(unsigned long bytes);

#include <armci_profiling.h>

#ifdef __cplusplus
}
#endif

#endif
