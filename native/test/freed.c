/* The list of segments that a member has freed, without a job. */
#include "testing.h"

#include "collective/group.h"
#include "units.h"

#include <pthread.h>

static trib job;
static trib_group group;
static trib_group parent;

/** A lock that this thread holds and another call takes and gives back is this thread's no more. */
static void begin(void) {
    pthread_mutexattr_t checked;
    CHECK(pthread_mutexattr_init(&checked) == 0);
    CHECK(pthread_mutexattr_settype(&checked, PTHREAD_MUTEX_ERRORCHECK) == 0);
    CHECK(pthread_mutex_init(&job.lock, &checked) == 0);
    group.job = &job;
    parent.job = &job;
}

static void should_take_no_lock_when_nothing_is_freed(void) {
    CHECK(pthread_mutex_lock(&job.lock) == 0);
    trib_freed_called(&group);
    CHECK(trib_freed_give_back(&group) == TRIB_OK);
    CHECK(pthread_mutex_unlock(&job.lock) == 0);
}

static void should_keep_the_order_when_what_is_freed_moves(void) {
    for (int64_t id = 1; id <= 20; id++) {
        trib_freed_add(&group, id);
    }
    trib_freed_called(&group);
    trib_freed_add(&group, 21);
    CHECK(group.freed_segments.due == 20);
    trib_freed_move(&group, &parent);
    CHECK(group.freed_segments.count == 0 && group.freed_segments.due == 0);
    CHECK(parent.freed_segments.count == 21 && parent.freed_segments.due == 0);
    for (int64_t id = 1; id <= 21; id++) {
        CHECK(parent.freed_segments.ids[id - 1] == id);
    }
}

void test_freed(void) {
    begin();
    should_take_no_lock_when_nothing_is_freed();
    should_keep_the_order_when_what_is_freed_moves();
    should_take_no_lock_when_nothing_is_freed();
    CHECK(pthread_mutex_destroy(&job.lock) == 0);
    free(group.freed_segments.ids);
    free(parent.freed_segments.ids);
}
