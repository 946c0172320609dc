/* Notifications, which classic ARMCI has. */
#ifndef TRIBUTARY_ARMCI_NOTIFY_H
#define TRIBUTARY_ARMCI_NOTIFY_H

#ifdef __cplusplus
extern "C" {
#endif

/** Tells a rank that everything sent to it so far is there. Returns how many notifications it has got from here. */
int armci_notify(int proc);
/** Waits for one more notification of a rank. Returns how many have come from there, in *count, too, unless NULL. */
int armci_notify_wait(int proc, int *count);
int parmci_notify(int proc);
int parmci_notify_wait(int proc, int *count);

#ifdef __cplusplus
}
#endif

#endif
