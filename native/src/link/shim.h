/* The shim over libfabric, ../../fabric, which is loaded when it is first needed. */
#ifndef TRIB_SHIM_H
#define TRIB_SHIM_H

#include <stddef.h>

#include "tributary_fabric.h"

#define TRIB_SHIM_FUNCTIONS(each)                                                                                  \
    each(tf_error_text) each(tf_find) each(tf_next) each(tf_info_number) each(tf_info_text) each(tf_free)          \
    each(tf_domain_open) each(tf_domain_close) each(tf_endpoint_open) each(tf_endpoint_close) each(tf_peer)        \
    each(tf_poll) each(tf_failure) each(tf_region_open) each(tf_region_close) each(tf_remote_open)                 \
    each(tf_remote_close) each(tf_write) each(tf_data) each(tf_write_data) each(tf_write_delivered) each(tf_read)

/** Its functions, under their names. */
struct trib_shim {
#define TRIB_SHIM_MEMBER(name) __typeof__(&name) name;
    TRIB_SHIM_FUNCTIONS(TRIB_SHIM_MEMBER)
#undef TRIB_SHIM_MEMBER
};

/** NULL, and why in problem, where the shim or libfabric is not there. Thread-safe. */
const struct trib_shim *trib_shim_load(char *problem, size_t bytes);

#endif
