#ifndef TRIB_BEHAVIOUR_H
#define TRIB_BEHAVIOUR_H

#include "testing.h"

/** Each is called by all ranks. */
void check_collectives(trib *job);
void check_groups(trib *job);
void check_misuse(trib *job);

#endif
