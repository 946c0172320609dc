#include "internal.h"

#include <stdarg.h>

#define TEXT_BYTES 1024

/** The last message of this thread, which the others hear when it ends the job; empty before the first. */
static _Thread_local char said[TEXT_BYTES + 64];

int arm_fail(const char *function, int status, const char *format, ...) {
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (strncmp(function, "PARMCI", 6) == 0 || strncmp(function, "parmci", 6) == 0) {
        function++;
    }
    snprintf(said, sizeof said, "%s: %s", function, text);
    fflush(stdout);
    fprintf(stderr, "[%d] ARMCI Error: %s\n", arm.rank, said);
    return status;
}

/** The runtime's words of its last failure are none of another one, such as MPI's. */
static const char *words(int status) {
    const trib_error *error = trib_last_error();
    return error->status == status ? error->message : trib_status_text(status);
}

/** Whatever a caller takes for a failure is one. */
static int last_status(void) {
    int status = trib_last_error()->status;
    return status == TRIB_OK ? TRIB_SYSTEM : status;
}

int arm_failed(const char *function, int status) {
    return arm_fail(function, status, "%s", words(status));
}

int arm_fail_at(const char *function, const void *address, long long bytes, int proc) {
    int status = last_status();
    return arm_fail(function, status, "address %p of rank %d, %lld bytes: %s", address, proc, bytes, words(status));
}

int arm_fail_last(const char *function) {
    return arm_failed(function, last_status());
}

bool arm_mpi_is_usable(void) {
    int initialized = 0;
    int finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    return initialized && !finalized;
}

_Noreturn void arm_abort(int code) {
    code = (code & 0xff) == 0 ? 1 : code; /* of which a process keeps 8 bits, and 0 would say that all was well */
    fflush(NULL);
    bool alone = arm.job != NULL && !arm.mpi;
    if (alone) {
        char reason[sizeof said + 32];
        snprintf(reason, sizeof reason, "rank %d: %s", arm.rank, said);
        trib_abort(arm.job, reason);
    } else if (arm_mpi_is_usable()) {
        MPI_Abort(arm.mpi && arm.groups != NULL ? arm.world.comm : MPI_COMM_WORLD, code);
    }
    _Exit(code);
}

void *arm_memory(const char *function, size_t count, size_t bytes) {
    void *memory = calloc(count, bytes);
    if (memory == NULL) {
        arm_fail(function, TRIB_NO_MEMORY, "no memory for %zu times %zu bytes", count, bytes);
        arm_abort(1);
    }
    return memory;
}

void PARMCI_Error(const char *message, int code) {
    const char *text = message == NULL ? "" : message;
    fflush(stdout);
    fprintf(stderr, "[%d] ARMCI Error: %s (code %d)\n", arm.rank, text, code);
    snprintf(said, sizeof said, "called ARMCI_Error with code %d: %.*s", code, TEXT_BYTES, text);
    arm_abort(code);
}
ARM_ALIAS(void, ARMCI_Error, const char *message, int code);

void armci_msg_abort(int code) {
    fflush(stdout);
    fprintf(stderr, "[%d] ARMCI Error: armci_msg_abort with code %d\n", arm.rank, code);
    snprintf(said, sizeof said, "called armci_msg_abort with code %d", code);
    arm_abort(code);
}
