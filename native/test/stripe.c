/* A stripe of memory that is added to is locked; the holder of the lock, another process, is stopped, and dies. */
#include "testing.h"

#include "memory/accumulate.h"
#include "units.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define CONTROL_BYTES (TRIB_CONTROL_LOCKS_OFFSET + TRIB_LOCKS * TRIB_LOCK_BYTES)
#define SEGMENT 5
#define HOLDER 2 /* token of the other rank of the node */
#define LOOK_US 100000

static trib job;
static trib_memory memory;
static int64_t part_bytes[4];
static struct trib_part part;

static int32_t *stripe(void) {
    return (int32_t *) (void *) (job.node.control + TRIB_CONTROL_LOCKS_OFFSET
                                 + (size_t) trib_lock_of(SEGMENT, 0) * TRIB_LOCK_BYTES);
}

static void begin(const char *path) {
    int fd = open(path, O_RDWR | O_CLOEXEC);
    job = (trib) {.node = {.rank_count = 2, .index = 0, .presence = fd}, .settings = {.throws = 1}};
    job.node.control = mmap(NULL, CONTROL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(fd >= 0 && job.node.control != MAP_FAILED);
    memory = (trib_memory) {.job = &job, .id = SEGMENT};
    part = (struct trib_part) {.base = (uint8_t *) part_bytes, .bytes = sizeof part_bytes};
}

/** Locks the stripe, present as the other rank, until it is killed. */
static int holder(const char *path) {
    int child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = HOLDER, .l_len = 1};
        int fd = open(path, O_RDWR | O_CLOEXEC); /* a description of its own, as a rank has */
        if (fd < 0 || fcntl(fd, F_OFD_SETLK, &lock) != 0) {
            _exit(1);
        }
        __atomic_store_n(stripe(), HOLDER, __ATOMIC_SEQ_CST);
        raise(SIGSTOP);
        _exit(1);
    }
    int status;
    CHECK(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
    EQUAL(*stripe(), HOLDER);
    return child;
}

static void *add(void *argument) {
    const int64_t values[4] = {1, 2, 3, 4};
    struct trib_factor factor;
    struct trib_region target;
    OK(trib_factor_set(&factor, TRIB_INT64, NULL));
    trib_region_begin(&target, part_bytes, sizeof part_bytes);
    *(int *) argument = trib_accumulate_on_node(&memory, &part, &factor, (const uint8_t *) values, sizeof values,
                                                &target);
    return NULL;
}

static void end_holder(int child) {
    CHECK(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
}

/** Who is stopped goes on one day, in the middle of an addition: only the death of the holder gives the stripe away. */
static void should_take_a_stripe_when_its_holder_has_died(const char *path) {
    pthread_t thread;
    int status = -1;
    int child = holder(path);
    CHECK(pthread_create(&thread, NULL, add, &status) == 0);
    usleep(LOOK_US);
    CHECK(pthread_tryjoin_np(thread, NULL) != 0);
    EQUAL(*stripe(), HOLDER);
    EQUAL(part_bytes[0], 0);
    end_holder(child);
    CHECK(pthread_join(thread, NULL) == 0);
    OK(status);
    for (int i = 0; i < 4; i++) {
        EQUAL(part_bytes[i], i + 1);
    }
    EQUAL(*stripe(), 0);
}

static void should_take_a_stripe_that_no_rank_can_hold(void) {
    int status = -1;
    *stripe() = 77; /* a wild store */
    add(&status);
    OK(status);
    EQUAL(part_bytes[3], 8);
    EQUAL(*stripe(), 0);
}

static void should_stop_waiting_for_a_stripe_when_the_job_fails(const char *path) {
    pthread_t thread;
    int status = -1;
    int child = holder(path);
    CHECK(pthread_create(&thread, NULL, add, &status) == 0);
    usleep(LOOK_US);
    char *reason = strdup("enough");
    __atomic_store_n(&job.failure.reason, reason, __ATOMIC_RELEASE);
    CHECK(reason != NULL && pthread_join(thread, NULL) == 0);
    EQUAL(status, TRIB_ABORTED);
    EQUAL(part_bytes[3], 8);
    EQUAL(*stripe(), HOLDER);
    end_holder(child);
    free(reason);
}

void test_stripes(void) {
    char path[] = "/tmp/tributary-stripe.XXXXXX";
    int fd = mkstemp(path);
    CHECK(fd >= 0 && ftruncate(fd, CONTROL_BYTES) == 0 && close(fd) == 0);
    begin(path);
    should_take_a_stripe_when_its_holder_has_died(path);
    should_take_a_stripe_that_no_rank_can_hold();
    should_stop_waiting_for_a_stripe_when_the_job_fails(path);
    CHECK(munmap(job.node.control, CONTROL_BYTES) == 0 && close(job.node.presence) == 0 && unlink(path) == 0);
}
