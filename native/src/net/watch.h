/*
 * Notices that the host at the other end of a TCP connection has lost its power or its network; see TcpWatch and
 * Silence of org.tributary.wire.socket. Only a kernel that does not answer counts: a process that is stopped, or reads
 * nothing for hours, does not. TCP_USER_TIMEOUT would end such connections, whose other side answers probes of a closed
 * window.
 */
#ifndef TRIB_WATCH_H
#define TRIB_WATCH_H

#include "shared/client.h"

#include <stdbool.h>
#include <stdint.h>

/** When the other kernel counts as gone. Looks are counted, not only time: a thread that did not look begins anew. */
struct trib_silence {
    bool asked;
    uint32_t heard;
    int64_t looked_ns;
    int64_t silent_ns;
};

/** Tells of a look: segments that have come, and whether the other kernel has something to answer; true: it is gone. */
bool trib_silence_look(struct trib_silence *silence, int64_t timeout_ns, uint32_t segments, bool unanswered,
                       int64_t now_ns);

/** Lets the kernel probe a TCP connection on which nothing is under way; false when it refuses, with errno. */
bool trib_watch_begin(int fd, int64_t timeout_ns);
/** Looks at a TCP connection; returns whether the other kernel counts as gone. */
bool trib_watch_check_silence(struct trib_silence *silence, int fd, int64_t timeout_ns, int64_t now_ns);

#endif
