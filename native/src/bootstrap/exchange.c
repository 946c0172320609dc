/*
 * Texts of any length between the ranks of a launcher: all to rank 0, and from rank 0 to all. Exchange n of a process
 * puts the parts of a rank's text under trib-<n>-<rank>-<part>, each "<parts that follow>:<text>".
 */
#include "bootstrap.h"

#define KEY_BYTES 64

static void name(const struct trib_key_values *values, int rank, int part, char key[KEY_BYTES]) {
    snprintf(key, KEY_BYTES, "trib-%d-%d-%d", values->exchanges, rank, part);
}

static int put(struct trib_key_values *values, const char *text) {
    size_t bytes = strlen(text);
    size_t most = values->value_bytes - TRIB_EXCHANGE_COUNT_BYTES;
    int parts = bytes == 0 ? 1 : (int) ((bytes + most - 1) / most);
    char key[KEY_BYTES];
    char *value = malloc(values->value_bytes + 1);
    int status = value == NULL ? trib_fail(TRIB_NO_MEMORY, "no memory for a value of %zu bytes", values->value_bytes)
        : TRIB_OK;
    for (int part = 0; status == TRIB_OK && part < parts; part++) {
        name(values, values->rank, part, key);
        snprintf(value, values->value_bytes + 1, "%d:%.*s", parts - 1 - part, (int) most, text + (size_t) part * most);
        status = values->put(values, key, value);
    }
    free(value);
    return status;
}

/** Appends a part; *follow is how many come after it. */
static int get_part(struct trib_key_values *values, int rank, int part, char **text, size_t *used, long *follow) {
    char key[KEY_BYTES];
    char value[2048];
    name(values, rank, part, key);
    TRIB_TRY(values->get(values, rank, key, value, sizeof value));
    char *end;
    long before = *follow;
    *follow = strtol(value, &end, 10);
    if (end == value || *end != ':' || *follow < 0 || (part > 0 && *follow != before - 1)) {
        /* Without the value: it may be a part of the job's secret. */
        return trib_fail(TRIB_ATTACH_FAILED, "%s gives a text of %zu characters for %s, which rank %d has not put",
                         values->name, strlen(value), key, rank);
    }
    size_t bytes = strlen(end + 1);
    char *longer = realloc(*text, *used + bytes + 1);
    if (longer == NULL) {
        return trib_fail(TRIB_NO_MEMORY, "no memory for a text of %zu bytes", *used + bytes);
    }
    memcpy(longer + *used, end + 1, bytes + 1);
    *text = longer;
    *used += bytes;
    return TRIB_OK;
}

static int get(struct trib_key_values *values, int rank, char **text) {
    size_t used = 0;
    long follow = 1;
    *text = NULL;
    for (int part = 0; follow > 0; part++) {
        int status = get_part(values, rank, part, text, &used, &follow);
        if (status != TRIB_OK) {
            free(*text);
            *text = NULL;
            return status;
        }
    }
    return TRIB_OK;
}

static int copy(const char *text, char **result) {
    *result = strdup(text);
    return *result == NULL ? trib_fail(TRIB_NO_MEMORY, "no memory for a text of %zu bytes", strlen(text)) : TRIB_OK;
}

int trib_exchange_gather(struct trib_key_values *values, const char *text, char ***all) {
    *all = NULL;
    values->exchanges++;
    TRIB_TRY(put(values, text));
    TRIB_TRY(values->barrier(values));
    if (values->rank != 0) {
        return TRIB_OK;
    }
    char **texts = calloc((size_t) values->size, sizeof *texts);
    if (texts == NULL) {
        return trib_fail(TRIB_NO_MEMORY, "no memory for the texts of %d ranks", values->size);
    }
    int status = copy(text, &texts[0]);
    for (int rank = 1; status == TRIB_OK && rank < values->size; rank++) {
        status = get(values, rank, &texts[rank]);
    }
    if (status != TRIB_OK) {
        trib_texts_free(texts, values->size);
        return status;
    }
    *all = texts;
    return TRIB_OK;
}

void trib_texts_free(char **all, int count) {
    for (int i = 0; all != NULL && i < count; i++) {
        free(all[i]);
    }
    free(all);
}

int trib_exchange_broadcast(struct trib_key_values *values, const char *text, char **told) {
    values->exchanges++;
    *told = NULL;
    if (values->rank == 0) {
        TRIB_TRY(put(values, text));
    }
    TRIB_TRY(values->barrier(values));
    return values->rank == 0 ? copy(text, told) : get(values, 0, told);
}
