/* Extensions of ARMCI: groups by color, mutexes of a group. */
#ifndef TRIBUTARY_ARMCIX_H
#define TRIBUTARY_ARMCIX_H

#include <armci.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Groups members by color, ordered by key; collective over the parent. No group for MPI_UNDEFINED. */
int ARMCIX_Group_split(ARMCI_Group *parent, int color, int key, ARMCI_Group *group);
int ARMCIX_Group_dup(ARMCI_Group *parent, ARMCI_Group *group);

struct armcix_mutex_hdl_s {
    int my_count;
    int max_count;
    ARMCI_Group grp;
    MPI_Win *windows; /* not used: mutexes are the runtime's */
    uint8_t **bases;  /* the library's own */
};
typedef struct armcix_mutex_hdl_s *armcix_mutex_hdl_t;

/** Creates mutexes, count of them at this member; collective over the group. NULL after a message when it fails. */
armcix_mutex_hdl_t ARMCIX_Create_mutexes_hdl(int count, ARMCI_Group *group);
/** Collective over the group. The handle is gone even if this returns what earlier requests did wrong. */
int ARMCIX_Destroy_mutexes_hdl(armcix_mutex_hdl_t mutexes);
/* proc is a rank, not its number in the group. */
void ARMCIX_Lock_hdl(armcix_mutex_hdl_t mutexes, int mutex, int proc);
/** Returns 0 when it has the mutex, 1 when somebody else has it. */
int ARMCIX_Trylock_hdl(armcix_mutex_hdl_t mutexes, int mutex, int proc);
void ARMCIX_Unlock_hdl(armcix_mutex_hdl_t mutexes, int mutex, int proc);

/** Sends what is buffered and lets MPI proceed. One-sided operations of others need no such call. */
void ARMCIX_Progress(void);

#ifdef __cplusplus
}
#endif

#endif
