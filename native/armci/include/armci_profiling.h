/* The names that the functions of armci.h have underneath; armci.h includes this. */
#ifndef TRIBUTARY_ARMCI_PROFILING_H
#define TRIBUTARY_ARMCI_PROFILING_H

int PARMCI_Init(void);
int PARMCI_Init_args(int *argc, char ***argv);
int PARMCI_Init_thread(int mpi_thread_level);
int PARMCI_Init_thread_comm(int mpi_thread_level, MPI_Comm comm);
int PARMCI_Initialized(void);
int PARMCI_Finalize(void);
void PARMCI_Cleanup(void);
void PARMCI_Error(const char *message, int code);
int PARMCI_Malloc(void **bases, armci_size_t bytes);
int PARMCI_Free(void *base);
void *PARMCI_Malloc_local(armci_size_t bytes);
int PARMCI_Free_local(void *memory);
int PARMCI_Malloc_memdev(void **bases, armci_size_t bytes, const char *device);
int PARMCI_Free_memdev(void *base);
void PARMCI_Access_begin(void *memory);
void PARMCI_Access_end(void *memory);
void PARMCI_Copy(void *src, void *dst, int bytes);
int PARMCI_Put(void *src, void *dst, int bytes, int proc);
int PARMCI_Get(void *src, void *dst, int bytes, int proc);
int PARMCI_Acc(int datatype, void *scale, void *src, void *dst, int bytes, int proc);
int PARMCI_PutS(void *src, int src_strides[], void *dst, int dst_strides[], int count[], int levels, int proc);
int PARMCI_GetS(void *src, int src_strides[], void *dst, int dst_strides[], int count[], int levels, int proc);
int PARMCI_AccS(int datatype, void *scale, void *src, int src_strides[], void *dst, int dst_strides[], int count[],
                int levels, int proc);
int PARMCI_Put_flag(void *src, void *dst, int bytes, int *flag, int value, int proc);
int PARMCI_PutS_flag(void *src, int src_strides[], void *dst, int dst_strides[], int count[], int levels, int *flag,
                     int value, int proc);
int PARMCI_PutV(armci_giov_t *vectors, int count, int proc);
int PARMCI_GetV(armci_giov_t *vectors, int count, int proc);
int PARMCI_AccV(int datatype, void *scale, armci_giov_t *vectors, int count, int proc);
int PARMCI_PutValueInt(int value, void *dst, int proc);
int PARMCI_PutValueLong(long value, void *dst, int proc);
int PARMCI_PutValueFloat(float value, void *dst, int proc);
int PARMCI_PutValueDouble(double value, void *dst, int proc);
int PARMCI_GetValueInt(void *src, int proc);
long PARMCI_GetValueLong(void *src, int proc);
float PARMCI_GetValueFloat(void *src, int proc);
double PARMCI_GetValueDouble(void *src, int proc);
void PARMCI_INIT_HANDLE(armci_hdl_t *handle);
void PARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t *handle);
void PARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t *handle);
int PARMCI_NbPut(void *src, void *dst, int bytes, int proc, armci_hdl_t *handle);
int PARMCI_NbGet(void *src, void *dst, int bytes, int proc, armci_hdl_t *handle);
int PARMCI_NbAcc(int datatype, void *scale, void *src, void *dst, int bytes, int proc, armci_hdl_t *handle);
int PARMCI_NbPutS(void *src, int src_strides[], void *dst, int dst_strides[], int count[], int levels, int proc,
                  armci_hdl_t *handle);
int PARMCI_NbGetS(void *src, int src_strides[], void *dst, int dst_strides[], int count[], int levels, int proc,
                  armci_hdl_t *handle);
int PARMCI_NbAccS(int datatype, void *scale, void *src, int src_strides[], void *dst, int dst_strides[], int count[],
                  int levels, int proc, armci_hdl_t *handle);
int PARMCI_NbPutV(armci_giov_t *vectors, int count, int proc, armci_hdl_t *handle);
int PARMCI_NbGetV(armci_giov_t *vectors, int count, int proc, armci_hdl_t *handle);
int PARMCI_NbAccV(int datatype, void *scale, armci_giov_t *vectors, int count, int proc, armci_hdl_t *handle);
int PARMCI_NbPutValueInt(int value, void *dst, int proc, armci_hdl_t *handle);
int PARMCI_NbPutValueLong(long value, void *dst, int proc, armci_hdl_t *handle);
int PARMCI_NbPutValueFloat(float value, void *dst, int proc, armci_hdl_t *handle);
int PARMCI_NbPutValueDouble(double value, void *dst, int proc, armci_hdl_t *handle);
int PARMCI_Wait(armci_hdl_t *handle);
int PARMCI_Test(armci_hdl_t *handle);
int PARMCI_WaitProc(int proc);
int PARMCI_WaitAll(void);
void PARMCI_Fence(int proc);
void PARMCI_AllFence(void);
void PARMCI_Barrier(void);
int PARMCI_Create_mutexes(int count);
int PARMCI_Destroy_mutexes(void);
void PARMCI_Lock(int mutex, int proc);
void PARMCI_Unlock(int mutex, int proc);
int PARMCI_Rmw(int operation, void *local, void *remote, int value, int proc);
void PARMCI_Group_create(int count, int *ranks, ARMCI_Group *group);
void PARMCI_Group_create_child(int count, int *ranks, ARMCI_Group *group, ARMCI_Group *parent);
void PARMCI_Group_free(ARMCI_Group *group);
int PARMCI_Group_rank(ARMCI_Group *group, int *rank);
void PARMCI_Group_size(ARMCI_Group *group, int *size);
void PARMCI_Group_set_default(ARMCI_Group *group);
void PARMCI_Group_get_default(ARMCI_Group *group);
void PARMCI_Group_get_world(ARMCI_Group *group);
int PARMCI_Absolute_id(ARMCI_Group *group, int group_rank);
int PARMCI_Malloc_group(void **bases, armci_size_t bytes, ARMCI_Group *group);
int PARMCI_Malloc_group_memdev(void **bases, armci_size_t bytes, ARMCI_Group *group, const char *device);
int PARMCI_Free_group(void *base, ARMCI_Group *group);
int PARMCI_Same_node(int proc);
int PARMCI_Uses_shm(void);
int PARMCI_Uses_shm_grp(ARMCI_Group *group);
void PARMCI_Set_shm_limit(unsigned long bytes);
void parmci_msg_barrier(void);
void parmci_msg_group_barrier(ARMCI_Group *group);

#endif
