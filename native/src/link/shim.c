#include "shim.h"

#include "base/base.h"

#include <dlfcn.h>

#define LIBRARY "libtributary-fabric.so"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct trib_shim shim;
static bool is_loaded;
static char why_not[256];

static void *open_in(const char *folder, int length, const char *rest) {
    char path[PATH_MAX];
    return length > 0 && snprintf(path, sizeof path, "%.*s%s" LIBRARY, length, folder, rest) < (int) sizeof path
        ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

/**
 * In the folder of this library, or of the program that it is linked into; in that of the installation; otherwise where
 * the system looks.
 */
static void *open_library(void) {
    Dl_info own;
    void *library = NULL;
    const char *home = getenv(TRIB_VARIABLE_HOME);
    if (dladdr((void *) &shim, &own) != 0 && own.dli_fname != NULL) {
        const char *slash = strrchr(own.dli_fname, '/');
        library = open_in(own.dli_fname, slash == NULL ? 0 : (int) (slash - own.dli_fname), "/");
    }
    if (library == NULL && home != NULL) {
        library = open_in(home, (int) strlen(home), "/lib/");
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
