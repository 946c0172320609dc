/*
 * A rank whose files are truncated. The first argument says what it does until then: "segment" uses memory of its node,
 * "barrier" waits in shared memory, "ring" asks the other node through its ring, "notify" notifies the other rank of
 * its node, whose table somebody overwrites; "listen" is "ring" where a listener makes calls; or "handlers": faults of the program's own, with and without a handler of
 * its own. "small-stack" is "segment" where the program handles signals on a stack with 3 KiB more than the kernel
 * needs.
 */
#include "testing.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

#define PAGE 4096

static sigjmp_buf back;
static void *volatile faulted;

static void own_handler(int signal, siginfo_t *info, void *context) {
    (void) context;
    CHECK(signal == SIGBUS);
    faulted = info->si_addr;
    siglongjmp(back, 1);
}

static void install_own_handler(void) {
    struct sigaction action = {.sa_sigaction = own_handler, .sa_flags = SA_SIGINFO};
    CHECK(sigaction(SIGBUS, &action, NULL) == 0);
}

/** Memory of the program that is gone, as a database would map a file. */
static volatile char *own_gone(void) {
    FILE *file = tmpfile();
    CHECK(file != NULL);
    char *memory = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fileno(file), 0);
    CHECK(memory != MAP_FAILED);
    return memory;
}

static void fault(volatile char *at) {
    if (sigsetjmp(back, 1) == 0) {
        (void) *at;
        CHECK(!"a fault");
    }
    CHECK(faulted == at);
}

static void handlers(const char *when) {
    volatile char *gone = own_gone();
    if (strcmp(when, "before") == 0) {
        install_own_handler();
    }
    trib *job = attach();
    if (strcmp(when, "after") == 0) {
        install_own_handler();
    }
    if (strcmp(when, "never") == 0) {
        (void) *gone;
    }
    fault(gone);
    fault(gone); /* again: it stays installed */
    trib_memory *memory;
    OK(trib_allocate(trib_world(job), PAGE, &memory));
    OK(trib_detach(job));
    fault(gone);
    struct sigaction now;
    CHECK(sigaction(SIGBUS, NULL, &now) == 0);
    CHECK(now.sa_sigaction == own_handler);
    puts("goes on");
}

/** The page under it is not there, so a handler that needs more ends without a word. */
static void handle_signals_on_small_stack(void) {
    size_t bytes = (size_t) sysconf(_SC_MINSIGSTKSZ) + 3072;
    size_t pages = (bytes + PAGE - 1) / PAGE;
    char *memory = mmap(NULL, (pages + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED && mprotect(memory, PAGE, PROT_NONE) == 0);
    stack_t stack = {.ss_sp = memory + PAGE, .ss_size = bytes};
    CHECK(sigaltstack(&stack, NULL) == 0);
}

static trib *watched;

/** A call that looks at the connections: no thread of the library keeps them meanwhile. */
static void listen(const char *reason, void *context) {
    (void) context;
    trib_wait_all(watched);
    printf("rank %d was told: %s\n", trib_rank(watched), reason);
    fflush(stdout);
}

int main(int count, char **arguments) {
    CHECK(count > 1);
    if (strcmp(arguments[1], "handlers") == 0) {
        handlers(arguments[2]);
        return 0;
    }
    if (strcmp(arguments[1], "small-stack") == 0) {
        handle_signals_on_small_stack();
    }
    bool listens = strcmp(arguments[1], "listen") == 0;
    trib *job = listens ? attach_listening(listen) : attach();
    watched = job;
    int rank = trib_rank(job);
    trib_memory *memory;
    int64_t word;
    OK(trib_allocate(trib_world(job), 16 * PAGE, &memory));
    OK(trib_barrier(job));
    printf("ready rank %d segment %llx\n", rank, (unsigned long long) trib_memory_id(memory));
    fflush(stdout);
    if (strcmp(arguments[1], "barrier") == 0) {
        if (rank == 0) {
            sleep(DEADLINE_S);
        }
        trib_barrier(job);
    }
    while (strcmp(arguments[1], "notify") == 0) {
        OK(trib_notify(job, 1 - rank));
    }
    while (true) {
        int target = listens || strcmp(arguments[1], "ring") == 0 ? trib_size(job) - 1 : rank;
        int status = trib_fetch_add_i64(memory, target, 8 * PAGE, 1, &word);
        CHECK(status == TRIB_OK || listens);
        if (status != TRIB_OK) {
            exit(1);
        }
    }
}
