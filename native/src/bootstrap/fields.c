/* Texts as one that a process manager takes: separated by ';', with %XX for all but some visible characters. */
#include "bootstrap.h"

#include <ctype.h>

static bool is_plain(char c) {
    return isalnum((unsigned char) c) || (c != '\0' && strchr(TRIB_PLAIN_IN_FIELDS, c) != NULL);
}

char *trib_fields_join(int count, const char *const *fields) {
    size_t room = 1;
    for (int i = 0; i < count; i++) {
        room += 3 * strlen(fields[i]) + 1;
    }
    char *joined = malloc(room);
    char *at = joined;
    for (int i = 0; joined != NULL && i < count; i++) {
        if (i > 0) {
            *at++ = ';';
        }
        for (const char *c = fields[i]; *c != '\0'; c++) {
            if (is_plain(*c)) {
                *at++ = *c;
            } else {
                at += sprintf(at, "%%%02X", (unsigned) (unsigned char) *c);
            }
        }
    }
    if (joined != NULL) {
        *at = '\0';
    }
    return joined;
}

/** Messages repeat no text: it may hold the job's secret. */
static int decode(char *field, int number) {
    char *to = field;
    for (const char *from = field; *from != '\0'; from++) {
        if (*from != '%') {
            *to++ = *from;
            continue;
        }
        char digits[] = {from[1], from[1] == '\0' ? '\0' : from[2], '\0'};
        char *end;
        *to++ = (char) strtol(digits, &end, 16);
        if (end != digits + 2 || !isxdigit((unsigned char) digits[0])) {
            return trib_fail(TRIB_ATTACH_FAILED, "field %d of a text of another rank has at character %zu"
                             " a %% that no two digits follow", number, (size_t) (from - field));
        }
        from += 2;
    }
    *to = '\0';
    return TRIB_OK;
}

int trib_fields_split(char *joined, int count, char **fields) {
    int found = 0;
    for (char *at = joined; at != NULL; found++) {
        char *end = strchr(at, ';');
        if (found < count) {
            fields[found] = at;
        }
        if (end != NULL && found + 1 < count) {
            *end = '\0';
        }
        at = end == NULL ? NULL : end + 1;
    }
    if (found != count) {
        return trib_fail(TRIB_ATTACH_FAILED, "a text of another rank has %d fields, not %d: do all ranks run the same"
                         " release?", found, count);
    }
    for (int i = 0; i < count; i++) {
        TRIB_TRY(decode(fields[i], i));
    }
    return TRIB_OK;
}
