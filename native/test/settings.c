/* Settings by themselves and together. */
#include "testing.h"

#include "link/links.h"
#include "units.h"

static void should_check_settings(void) {
    struct trib_settings settings;
    const char *const dedicated[] = {"wait.preset=dedicated", "client.buffer=128k", "job.on-failure=throw", NULL};
    OK(trib_settings_read(&settings, dedicated));
    CHECK(settings.dedicated && settings.throws);
    EQUAL(settings.wait_spin_ns, 10 * TRIB_NS_PER_S);
    EQUAL(settings.buffer, 128 << 10);
    const char *const choices[] = {"wait.preset=shared", "network.encryption=ktls", "cooperation.mode=none",
        "cooperation.scope=node", "cooperation.reorder-floating-point=yes", "job.on-failure=exit", NULL};
    OK(trib_settings_read(&settings, choices));
    CHECK(!settings.dedicated && !settings.throws && settings.cooperation_reorders);
    EQUAL(settings.encryption, TRIB_NETWORK_ENCRYPTION_KTLS);
    EQUAL(settings.fabric, TRIB_NETWORK_FABRIC_NONE);
    const char *const last[] = {"network.fabric=opx", NULL};
    OK(trib_settings_read(&settings, last));
    EQUAL(settings.fabric, TRIB_NETWORK_FABRIC_OPX);
    OK(trib_settings_read(&settings, choices));
    EQUAL(settings.cooperation_mode, TRIB_COOPERATION_MODE_NONE);
    EQUAL(settings.cooperation_scope, TRIB_COOPERATION_SCOPE_NODE);
    const char *const bad[][2] = {{"wait.spin=5", "duration"}, {"wait.spin=2h", "outside"}, {"wait.spn=1s", "key"},
        {"client.buffer=1k", "outside"}, {"wait.preset=fast", "one of"}, {"shm.directory=here", "absolute"},
        {"collective.chunk=99999999999999999999", "size"}, {"nothing", "key=value"},
        {"network.encryption=rot13", "one of none, aes-gcm, ktls"},
        {"cooperation.mode=fast", "one of none, forward, aggregate, combine"}, {"cooperation.scope=rank", "one of"},
        {"fabric.channels=8:top", "'top' is not one of fixed-top, fixed-bottom, variable-top, variable-bottom"},
        {"fabric.channels=129:fixed-top", "129 is outside 0 to 128"}, {"fabric.channels=8:", "'' is not one of"},
        {"fabric.channels=:fixed-top", "'' is not a number"}, {"fabric.channels=8:fixed-top:", "cannot have ''"},
        {"fabric.channels=8:variable-top:72k", "a block of variable-top cannot have '72k' bytes"},
        {"fabric.channels=8:fixed-top:1016k", "cannot have"}, {"fabric.channels=8:fixed-top:8k", "cannot have"},
        {"fabric.channels=8:fixed-top:20k", "cannot have"}, {"fabric.channels=8:fixed-top:16k:", "cannot have"},
        {"cooperation.group-size=many", "number"}, {"cooperation.group-size=65537", "outside"},
        {"cooperation.groups=", "empty"}, {"cooperation.channel-bytes=32k", "outside"},
        {"cooperation.bulk-threshold=17k", "quarter"}, {"cooperation.direct-connections=-1", "number"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *const one[] = {bad[i][0], NULL};
        FAILS(trib_settings_read(&settings, one), TRIB_ATTACH_FAILED, bad[i][1]);
    }
}

/** As servers take the same environment. */
static void should_take_values_as_java_does(void) {
    struct trib_settings settings;
    CHECK(setenv("TRIBUTARY_WAIT_SPIN", " 70us ", 1) == 0 && setenv("TRIBUTARY_JOB_ON_FAILURE", "throw\t", 1) == 0
          && setenv("TRIBUTARY_COOPERATION_GROUPS", TRIB_CONSECUTIVE " ", 1) == 0);
    OK(trib_settings_read(&settings, NULL));
    EQUAL(settings.wait_spin_ns, 70000);
    CHECK(settings.throws);
    const char *const two[] = {"cooperation.group-size=2", NULL};
    OK(trib_settings_read(&settings, two));
    CHECK(unsetenv("TRIBUTARY_WAIT_SPIN") == 0 && unsetenv("TRIBUTARY_JOB_ON_FAILURE") == 0
          && unsetenv("TRIBUTARY_COOPERATION_GROUPS") == 0);
}

static void should_refuse_variables_that_nothing_knows(void) {
    struct trib_settings settings;
    CHECK(setenv("TRIBUTARY_WAIT_SPN", "1s", 1) == 0);
    FAILS(trib_settings_read(&settings, NULL), TRIB_ATTACH_FAILED, "unknown environment variable TRIBUTARY_WAIT_SPN");
    CHECK(unsetenv("TRIBUTARY_WAIT_SPN") == 0 && setenv("TRIBUTARY_SERVER_PORT", "no port", 1) == 0);
    OK(trib_settings_read(&settings, NULL)); /* a server's */
    CHECK(unsetenv("TRIBUTARY_SERVER_PORT") == 0 && setenv("TRIBUTARYISH", "1", 1) == 0);
    OK(trib_settings_read(&settings, NULL));
    CHECK(unsetenv("TRIBUTARYISH") == 0);
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void should_take_the_lines_of_a_servers_file_as_java_does(void) {
    char path[] = "/tmp/tributary-lines-XXXXXX";
    struct trib_place place = {.secret = NULL};
    char address[TRIB_SERVER_NAME_BYTES];
    int made = mkstemp(path);
    CHECK(made >= 0 && close(made) == 0);
    OK(trib_topology_parse(&place.topology, "1,1"));
    place.servers_file = strdup(path);
    write_file(path, "a:1\n \nb:2\nc:3\n");
    FAILS(trib_place_server(&place, 0, address), TRIB_ATTACH_FAILED, "3 addresses for a job of 2 nodes");
    write_file(path, "a:1\nb:2");
    OK(trib_place_server(&place, 0, address));
    EQUAL(address[0], '\0'); /* the last line has no end yet */
    write_file(path, "a:1\n \n b:2 \n");
    OK(trib_place_server(&place, 1, address));
    EQUAL(strcmp(address, "b:2"), 0);
    CHECK(unlink(path) == 0);
    trib_place_free(&place);
}

/** Of a job script that was written on another system, for example. */
static void should_take_the_place_of_a_rank_as_java_does(void) {
    char secret[] = "/tmp/tributary-secret-XXXXXX";
    char given[sizeof secret + 8];
    struct trib_place place = {.secret = NULL};
    char address[TRIB_SERVER_NAME_BYTES];
    int made = mkstemp(secret);
    CHECK(made >= 0 && close(made) == 0);
    write_file(secret, "00112233445566778899aabbccddeeff\n");
    snprintf(given, sizeof given, " %s \r", secret);
    CHECK(setenv("TRIBUTARY_SECRET_FILE", given, 1) == 0 && setenv("TRIBUTARY_JOB_ID", " job-1\r", 1) == 0
          && setenv("TRIBUTARY_LAYOUT", "2,1 \r", 1) == 0 && setenv("TRIBUTARY_RANK", "2\r", 1) == 0
          && setenv("TRIBUTARY_SERVERS", "a:1 , b:2\r", 1) == 0 && setenv("TRIBUTARY_SUPERVISED", "1 ", 1) == 0);
    OK(trib_place_read(&place));
    EQUAL(strcmp(place.job_id, "job-1"), 0);
    CHECK(place.rank == 2 && place.node == 1 && place.supervised);
    OK(trib_place_server(&place, 1, address));
    EQUAL(strcmp(address, "b:2"), 0);
    trib_place_free(&place);
    place = (struct trib_place) {.secret = NULL};
    CHECK(unsetenv("TRIBUTARY_SERVERS") == 0 && setenv("TRIBUTARY_SERVERS_FILE", "/tmp/servers \r", 1) == 0);
    OK(trib_place_read(&place));
    EQUAL(strcmp(place.servers_file, "/tmp/servers"), 0);
    trib_place_free(&place);
    const char *const all[] = {"SECRET_FILE", "JOB_ID", "LAYOUT", "RANK", "SERVERS_FILE", "SUPERVISED"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char variable[40];
        snprintf(variable, sizeof variable, "TRIBUTARY_%s", all[i]);
        CHECK(unsetenv(variable) == 0);
    }
    CHECK(unlink(secret) == 0);
}

static void should_refuse_groups_that_do_not_fit(void) {
    const char *const bad[][2] = {{"cooperation.group-size=5", "outside 1 to 4"},
        {"cooperation.groups=0-3;4", "nodes 0 to 3"}, {"cooperation.groups=0-1;3", "node 2 is in no group"},
        {"cooperation.groups=0-2;2-3", "node 2 is named more than once"}, {"cooperation.groups=0-2;x", "group 1"},
        {"cooperation.groups=2-0;3", "no range"}, {"cooperation.groups=0-3;", "neither"},
        {"cooperation.groups=0-3,99999999999999999999", "neither"}};
    struct trib_topology topology;
    OK(trib_topology_parse(&topology, "4*1"));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct trib_settings settings;
        struct trib_routes routes;
        const char *const one[] = {bad[i][0], NULL};
        OK(trib_settings_read(&settings, one));
        FAILS(trib_routes_set(&routes, &settings, &topology), TRIB_ATTACH_FAILED, bad[i][1]);
        trib_routes_free(&routes);
    }
    trib_topology_free(&topology);
    struct trib_settings settings;
    const char *const both[] = {"cooperation.group-size=2", "cooperation.groups=0;1", NULL};
    FAILS(trib_settings_read(&settings, both), TRIB_ATTACH_FAILED, "both set");
}

void test_settings(void) {
    should_refuse_variables_that_nothing_knows();
    should_take_values_as_java_does();
    should_take_the_lines_of_a_servers_file_as_java_does();
    should_take_the_place_of_a_rank_as_java_does();
    should_check_settings();
    should_refuse_groups_that_do_not_fit();
}

void print_pairs(int count, char **assignments) {
    struct trib_settings settings;
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) {
            const char *const pair[] = {assignments[i], assignments[j], NULL};
            printf("%s %s %s\n", pair[0], pair[1], trib_settings_read(&settings, pair) == TRIB_OK ? "good" : "bad");
        }
    }
}
