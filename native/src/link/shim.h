/* The shim over libfabric, ../../fabric, which is loaded when it is first needed. */
#ifndef TRIB_SHIM_H
#define TRIB_SHIM_H

#include <stddef.h>

#include "tributary_fabric.h"
#include "shared/fabric.h"

/** Its functions, under their names. */
struct trib_shim {
#define TRIB_SHIM_MEMBER(name) __typeof__(&name) name;
    TRIB_SHIM_FUNCTIONS(TRIB_SHIM_MEMBER)
#undef TRIB_SHIM_MEMBER
};

/** NULL, and why in problem, where the shim or libfabric is not there. Thread-safe. */
const struct trib_shim *trib_shim_load(char *problem, size_t bytes);

#endif
