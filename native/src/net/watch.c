#include "watch.h"

#include "base/base.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

/* TRIB_TCP_INFO_*: of struct tcp_info of linux/tcp.h, of which the C library knows less. */

bool trib_silence_look(struct trib_silence *silence, int64_t timeout_ns, uint32_t segments, bool unanswered,
                       int64_t now_ns) {
    int64_t look_ns = timeout_ns / TRIB_LOOKS;
    if (!silence->asked || segments != silence->heard || !unanswered) {
        silence->asked = unanswered;
        silence->heard = segments;
        silence->silent_ns = 0;
    } else {
        int64_t since_ns = now_ns - silence->looked_ns;
        silence->silent_ns += since_ns < look_ns ? since_ns : look_ns;
    }
    silence->looked_ns = now_ns;
    /* Nobody looks exactly on time: the look before the last one, and this one, may both have been late. */
    return silence->silent_ns >= (TRIB_LOOKS - 1) * look_ns;
}

static int64_t clamp(int64_t value, int64_t least, int64_t most) {
    return value < least ? least : value > most ? most : value;
}

static bool set(int fd, int level, int name, int64_t value) {
    int number = (int) value;
    return setsockopt(fd, level, name, &number, sizeof number) == 0;
}

bool trib_watch_begin(int fd, int64_t timeout_ns) {
    int64_t seconds = clamp(timeout_ns / TRIB_NS_PER_S, 1, INT64_MAX);
    int64_t idle = clamp(seconds / 2, 1, TRIB_TCP_MAX_KEEPALIVE_S);
    int64_t interval = clamp(seconds / 8, 1, TRIB_TCP_MAX_KEEPALIVE_S);
    /* Where both sides wait with a closed window only their probes come, and these should come often enough, too. */
    set(fd, IPPROTO_TCP, TRIB_TCP_RTO_MAX_MS,
        clamp(timeout_ns / TRIB_LOOKS / 1000000, TRIB_TCP_LEAST_RTO_MS, TRIB_TCP_MAX_RTO_MS));
    return set(fd, SOL_SOCKET, SO_KEEPALIVE, 1) && set(fd, IPPROTO_TCP, TCP_KEEPIDLE, idle)
        && set(fd, IPPROTO_TCP, TCP_KEEPINTVL, interval)
        && set(fd, IPPROTO_TCP, TCP_KEEPCNT, clamp((seconds - idle) / interval, 1, TRIB_TCP_MAX_PROBES));
}

bool trib_watch_check_silence(struct trib_silence *silence, int fd, int64_t timeout_ns, int64_t now_ns) {
    uint8_t info[TRIB_TCP_INFO_BYTES];
    socklen_t length = sizeof info;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, info, &length) != 0 || length < sizeof info) {
        return false;
    }
    uint32_t unacknowledged;
    uint32_t segments;
    memcpy(&unacknowledged, info + TRIB_TCP_INFO_UNACKED, sizeof unacknowledged);
    memcpy(&segments, info + TRIB_TCP_INFO_SEGMENTS_IN, sizeof segments);
    bool unanswered = unacknowledged != 0 || info[TRIB_TCP_INFO_PROBES] != 0;
    return trib_silence_look(silence, timeout_ns, segments, unanswered, now_ns);
}
