#include "shim.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LIBRARY "libtributary-fabric.so"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct trib_shim shim;
static bool is_loaded;
static char why_not[256];

/** In the folder of this library, or of the program that it is linked into; otherwise where the system looks. */
static void *open_library(void) {
    Dl_info own;
    char path[PATH_MAX];
    void *library = NULL;
    if (dladdr((void *) &shim, &own) != 0 && own.dli_fname != NULL) {
        const char *slash = strrchr(own.dli_fname, '/');
        int folder = slash == NULL ? 0 : (int) (slash - own.dli_fname + 1);
        if (snprintf(path, sizeof path, "%.*s" LIBRARY, folder, own.dli_fname) < (int) sizeof path && folder > 0) {
            library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        }
    }
    return library != NULL ? library : dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
}

static bool find(void *library, const char *name, void *function) {
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    if (found == NULL) {
        snprintf(why_not, sizeof why_not, "%s has no %s", LIBRARY, name);
    }
    return found != NULL;
}

static void load(void) {
    void *library = open_library();
    if (library == NULL) {
        snprintf(why_not, sizeof why_not, "%s", dlerror());
        return;
    }
    is_loaded = true;
#define FIND(name) is_loaded = is_loaded && find(library, #name, &shim.name);
    TRIB_SHIM_FUNCTIONS(FIND)
#undef FIND
}

const struct trib_shim *trib_shim_load(char *problem, size_t bytes) {
    pthread_once(&once, load);
    snprintf(problem, bytes, "%s", why_not);
    return is_loaded ? &shim : NULL;
}
