/* Messages without MPI that do not come, or were overwritten: the job ends with a message; under `tributary run`. */
#include "check.h"

#include "../src/internal.h"

#include <message.h>

#define AWAITED 7
#define OTHER 8

static bool is_stray;

/* A piece for a box: a tag, a length, and so many bytes. */
int __real_trib_put_flag(trib_memory *memory, int rank, size_t offset, const void *source, size_t bytes,
                         size_t flag_offset, int64_t flag_value);
int __wrap_trib_put_flag(trib_memory *memory, int rank, size_t offset, const void *source, size_t bytes,
                         size_t flag_offset, int64_t flag_value);
int __wrap_trib_put_flag(trib_memory *memory, int rank, size_t offset, const void *source, size_t bytes,
                         size_t flag_offset, int64_t flag_value) {
    int64_t words[2048];
    CHECK(bytes <= sizeof words);
    memcpy(words, source, bytes);
    if (is_stray) {
        words[1] = -8;
    }
    return __real_trib_put_flag(memory, rank, offset, words, bytes, flag_offset, flag_value);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    CHECK(argc == 2);
    char text[64] = {0};
    int bytes;
    if (me > 0 && strcmp(argv[1], "stray") == 0) {
        is_stray = true;
        armci_msg_snd(OTHER, text, sizeof text, 0);
        sleep(600);
    } else if (me > 0 && strcmp(argv[1], "alone") == 0) {
        armci_msg_snd(OTHER, text, sizeof text, 0);
        return 0; /* without ARMCI_Finalize, in which it would wait for rank 0 */
    } else if (me == size - 1 && strcmp(argv[1], "failed") == 0) {
        trib_abort(arm.job, "rank 3 has had enough"); /* and is there, so that the launcher ends nobody yet */
    }
    armci_msg_rcvany(AWAITED, text, sizeof text, &bytes);
}
