/* What ARMCI has of its one job; apart from the files that use it, which would use each other in a circle. */
#include "internal.h"

struct arm_state arm;
