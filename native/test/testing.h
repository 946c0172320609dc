/* Helpers of all test programs: checks that say where and end the process, and a deadline on the whole of it. */
#ifndef TRIB_TESTING_H
#define TRIB_TESTING_H

#include "tributary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEADLINE_S 300

/** With sanitizers, who uses the frame of a function that has returned is found as well. */
const char *__asan_default_options(void);
__attribute__((weak, visibility("default"))) const char *__asan_default_options(void) {
    return "detect_stack_use_after_return=1";
}

#define CHECK(condition)                                                                                           \
    do {                                                                                                           \
        if (!(condition)) {                                                                                        \
            fprintf(stderr, "%s:%d: not so: %s (last error: %s)\n", __FILE__, __LINE__, #condition,                \
                    trib_last_error()->message);                                                                   \
            exit(1);                                                                                               \
        }                                                                                                          \
    } while (0)

#define OK(call) CHECK((call) == TRIB_OK)

#define EQUAL(actual, expected)                                                                                    \
    do {                                                                                                           \
        int64_t was = (int64_t) (actual);                                                                          \
        int64_t wanted = (int64_t) (expected);                                                                     \
        if (was != wanted) {                                                                                       \
            fprintf(stderr, "%s:%d: %s is %" PRId64 ", not %" PRId64 "\n", __FILE__, __LINE__, #actual, was,       \
                    wanted);                                                                                       \
            exit(1);                                                                                               \
        }                                                                                                          \
    } while (0)

/** The call fails with that status, and its message contains the text. */
#define FAILS(call, expected, text)                                                                                \
    do {                                                                                                           \
        EQUAL(call, expected);                                                                                     \
        CHECK(strstr(trib_last_error()->message, text) != NULL);                                                   \
    } while (0)

/** TEST_SLACK in the environment: so many times as long, on an emulated machine. */
static inline unsigned deadline_s(void) {
    const char *slack = getenv("TEST_SLACK");
    return slack == NULL ? DEADLINE_S : DEADLINE_S * (unsigned) atoi(slack);
}

static inline trib *attach(void) {
    trib *job;
    alarm(deadline_s());
    OK(trib_attach(&job));
    return job;
}

/** Attaches to the job of the environment; a failure is told to the listener, and calls return it. */
static inline trib *attach_listening(void (*listener)(const char *reason, void *context)) {
    const char *const settings[] = {"job.on-failure=throw", NULL};
    trib *job;
    char hex[200] = "";
    uint8_t secret[100];
    size_t bytes = 0;
    FILE *file = getenv("TRIBUTARY_SECRET_FILE") == NULL ? NULL : fopen(getenv("TRIBUTARY_SECRET_FILE"), "r");
    snprintf(hex, sizeof hex, "%s", getenv("TRIBUTARY_SECRET") == NULL ? "" : getenv("TRIBUTARY_SECRET"));
    if (file != NULL) {
        CHECK(fgets(hex, sizeof hex, file) != NULL);
        fclose(file);
    }
    for (unsigned byte; sscanf(hex + 2 * bytes, "%2x", &byte) == 1; bytes++) {
        secret[bytes] = (uint8_t) byte;
    }
    trib_job description = {.job_id = getenv("TRIBUTARY_JOB_ID"), .secret = secret, .secret_bytes = bytes,
        .layout = getenv("TRIBUTARY_LAYOUT"), .rank = atoi(getenv("TRIBUTARY_RANK")),
        .servers = getenv("TRIBUTARY_SERVERS"), .servers_file = getenv("TRIBUTARY_SERVERS_FILE"),
        .settings = settings, .on_failure = listener};
    alarm(deadline_s());
    OK(trib_attach_as(&description, &job));
    return job;
}

#endif
