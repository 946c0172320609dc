/*
 * No process of a job shows the job's secret to users who may see its environment or its arguments; and an encrypted
 * job of several machines has its secret from a file. What names the machine is wrapped (ld --wrap): each rank has one.
 */
#include "check.h"

#include <ctype.h>
#include <fcntl.h>
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

int __wrap_gethostname(char *name, size_t bytes);
int __wrap_gethostname(char *name, size_t bytes) {
    snprintf(name, bytes, "host-%d", me);
    return 0;
}

/** The ranks are told of the file, or all but one of them. */
static void begin_with_file(int *argc, char ***argv, const char *path, bool all) {
    static const char secret[] = "5ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e7\n";
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    if (me == 0 && all) { /* else nobody reads it */
        int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        CHECK(fd >= 0 && write(fd, secret, sizeof secret - 1) == sizeof secret - 1 && close(fd) == 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK((!all && me == 1) || setenv("TRIBUTARY_SECRET_FILE", path, 1) == 0);
    CHECK(ARMCI_Init() == 0);
    CHECK(me != 0 || unlink(path) == 0);
    size = armci_msg_nproc();
}

int main(int argc, char **argv) {
    bool has_file = argc > 1 && strcmp(argv[1], "none") != 0;
    char file[PATH_MAX];
    char told[PATH_MAX + 32];
    snprintf(file, sizeof file, "%s/secret", getenv("TRIBUTARY_SHM_DIRECTORY"));
    snprintf(told, sizeof told, "TRIBUTARY_SECRET_FILE=%s", file);
    if (has_file) {
        begin_with_file(&argc, &argv, file, strcmp(argv[1], "all") == 0);
    } else {
        const char *rank = getenv("OMPI_COMM_WORLD_RANK");
        me = rank == NULL ? 0 : atoi(rank);
        begin(&argc, &argv);
    }
    int seen = 0;
    int servers = 0;
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
        servers += has(length, told);
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
    CHECK(!has_file || servers >= size);
    return end();
}
