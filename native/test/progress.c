/* The progress of tributary-bench. */
#include "testing.h"

#include "bench_progress.h"
#include "units.h"

#define SECOND 1000000000LL

static struct bench_progress progress;
static char *said;
static size_t said_bytes;

/** What is said when so many steps are done so late. */
static const char *after(double seconds, long done) {
    rewind(progress.err);
    bench_progress_at(&progress, done, 77 + (int64_t) (seconds * SECOND));
    CHECK(fputc('\0', progress.err) != EOF && fflush(progress.err) == 0);
    return said;
}

static void begin(void) {
    FILE *err = open_memstream(&said, &said_bytes);
    CHECK(err != NULL);
    bench_progress_begin(&progress, "one-sided", 200, err, 77);
}

static void end(void) {
    CHECK(fclose(progress.err) == 0);
    free(said);
}

static void should_say_how_much_longer_after_three_seconds_and_then_every_ten(void) {
    begin();
    CHECK(strcmp(after(2.9, 80), "") == 0);
    CHECK(strcmp(after(4, 80), "one-sided: 40 % after 4 s, about 6 s left\n") == 0);
    CHECK(strcmp(after(13.9, 100), "") == 0);
    CHECK(strcmp(after(14.5, 100), "one-sided: 50 % after 14 s, about 14 s left\n") == 0);
    end();
}

static void should_say_it_each_second_when_lines_pass(void) {
    CHECK(setenv("TRIBUTARY_PROGRESS", "passing", 1) == 0);
    begin();
    CHECK(strcmp(after(4, 80), "\rone-sided: 40 % after 4 s, about 6 s left\n") == 0);
    CHECK(strcmp(after(4.9, 90), "") == 0);
    CHECK(strcmp(after(5, 100), "\rone-sided: 50 % after 5 s, about 5 s left\n") == 0);
    end();
    CHECK(unsetenv("TRIBUTARY_PROGRESS") == 0);
}

static void should_say_nothing_when_nothing_or_all_is_done(void) {
    begin();
    CHECK(strcmp(after(5, 0), "") == 0);
    CHECK(strcmp(after(60, 200), "") == 0);
    end();
}

void test_progress(void) {
    should_say_how_much_longer_after_three_seconds_and_then_every_ten();
    should_say_it_each_second_when_lines_pass();
    should_say_nothing_when_nothing_or_all_is_done();
}
