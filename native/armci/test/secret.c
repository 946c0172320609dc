/* No process of a job shows the job's secret to users who may see its environment or its arguments. */
#include "check.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>

/** A secret has at least 16 bytes. */
#define SECRET_DIGITS 32
#define MAX_BYTES (1 << 20)

static char text[MAX_BYTES];

static size_t read_all(const char *pid, const char *what) {
    char path[300];
    snprintf(path, sizeof path, "/proc/%s/%s", pid, what);
    FILE *file = fopen(path, "re");
    size_t length = file == NULL ? 0 : fread(text, 1, sizeof text - 1, file);
    if (file != NULL) {
        fclose(file);
    }
    text[length] = '\0';
    return length;
}

static bool has(size_t length, const char *entry) {
    for (size_t at = 0; at < length; at += strlen(text + at) + 1) {
        if (strcmp(text + at, entry) == 0) {
            return true;
        }
    }
    return false;
}

static bool shows_secret(const char *value) {
    int digits = 0;
    for (; *value != '\0' && digits < SECRET_DIGITS; value++) {
        digits = isxdigit((unsigned char) *value) ? digits + 1 : 0;
    }
    return digits >= SECRET_DIGITS;
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int seen = 0;
    char mark[PATH_MAX + 32];
    snprintf(mark, sizeof mark, "TRIBUTARY_SHM_DIRECTORY=%s", getenv("TRIBUTARY_SHM_DIRECTORY"));
    DIR *all = opendir("/proc");
    CHECK(all != NULL);
    for (struct dirent *entry; (entry = readdir(all)) != NULL;) {
        size_t length = isdigit((unsigned char) *entry->d_name) ? read_all(entry->d_name, "environ") : 0;
        if (!has(length, mark)) {
            continue;
        }
        seen++;
        for (size_t at = 0; at < length; at += strlen(text + at) + 1) {
            CHECK(strncmp(text + at, "TRIBUTARY_SECRET=", 17) != 0);
            CHECK(strncmp(text + at, "TRIBUTARY_", 10) != 0 || !shows_secret(text + at));
        }
        length = read_all(entry->d_name, "cmdline");
        for (size_t at = 0; at < length; at += strlen(text + at) + 1) {
            CHECK(!shows_secret(text + at));
        }
    }
    closedir(all);
    CHECK(seen > size); /* the ranks, and a server at least */
    return end();
}
