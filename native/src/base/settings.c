/* The settings that matter to a rank: names, defaults and ranges are those of org.tributary.config.Option. */
#include "base.h"

#include <ctype.h>
#include <limits.h>
#include <stddef.h>
#include <unistd.h>

/* As the generated table names them; the last two take a text. */
enum kind { TRIB_DURATION, TRIB_SIZE, TRIB_INTEGER, TRIB_CHOICE, TRIB_CHANNELS, TRIB_TEXT, TRIB_PATH };

/* Beside the kind: all processes of a job must have the same value. */
#define TRIB_SHARED 16

struct option {
    const char *key;
    const char *variable;
    int kind; /* enum kind, perhaps with TRIB_SHARED */
    const char *standard;
    const char *dedicated;
    const char *least;
    const char *most;
    const char *choices[9]; /* in the order of their numbers */
    size_t field; /* of struct trib_settings */
};

#define FIELD(name) offsetof(struct trib_settings, name)

/* wait.preset comes first, because other defaults depend on it. */
static const struct option options[] = {
    {TRIB_OPTION_WAIT_PRESET, FIELD(dedicated)},
    {TRIB_OPTION_WAIT_SPIN, FIELD(wait_spin_ns)},
    {TRIB_OPTION_SHM_DIRECTORY, FIELD(shm_directory)},
    {TRIB_OPTION_CONNECT_TIMEOUT, FIELD(connect_timeout_ns)},
    {TRIB_OPTION_CONNECTION_SILENCE_TIMEOUT, FIELD(silence_timeout_ns)},
    {TRIB_OPTION_ATTACH_TIMEOUT, FIELD(attach_timeout_ns)},
    {TRIB_OPTION_CLIENT_BUFFER, FIELD(buffer)},
    {TRIB_OPTION_SOCKET_BUFFER, FIELD(socket_buffer)},
    {TRIB_OPTION_NETWORK_ENCRYPTION, FIELD(encryption)},
    {TRIB_OPTION_NETWORK_FABRIC, FIELD(fabric)},
    {TRIB_OPTION_FABRIC_CHANNELS, FIELD(fabric_channels)},
    {TRIB_OPTION_COLLECTIVE_CHUNK, FIELD(chunk)},
    {TRIB_OPTION_NOTIFY_MAX_SOURCES, FIELD(notify_max_sources)},
    {TRIB_OPTION_COOPERATION_MODE, FIELD(cooperation_mode)},
    {TRIB_OPTION_COOPERATION_SCOPE, FIELD(cooperation_scope)},
    {TRIB_OPTION_COOPERATION_GROUP_SIZE, FIELD(cooperation_group_size)},
    {TRIB_OPTION_COOPERATION_GROUPS, FIELD(cooperation_groups)},
    {TRIB_OPTION_COOPERATION_CHANNEL_BYTES, FIELD(cooperation_channel_bytes)},
    {TRIB_OPTION_COOPERATION_BULK_THRESHOLD, FIELD(cooperation_bulk_threshold)},
    {TRIB_OPTION_COOPERATION_DIRECT_CONNECTIONS, FIELD(cooperation_direct_connections)},
    {TRIB_OPTION_COOPERATION_REORDER_FLOATING_POINT, FIELD(cooperation_reorders)},
    {TRIB_OPTION_JOB_ON_FAILURE, FIELD(throws)},
};

#define OPTIONS (sizeof options / sizeof *options)

static enum kind kind_of(const struct option *option) {
    return (enum kind) (option->kind & ~TRIB_SHARED);
}

struct unit {
    const char *name;
    int64_t factor;
};

static const struct unit durations[] = {TRIB_DURATION_UNITS, {NULL, 0}};
static const struct unit numbers[] = {{"", 1}, {NULL, 0}};
static const struct unit sizes[] = {TRIB_SIZE_UNITS, {NULL, 0}};

static const struct unit *units_of(const struct option *option) {
    return kind_of(option) == TRIB_DURATION ? durations : kind_of(option) == TRIB_SIZE ? sizes : numbers;
}

static bool parse_quantity(const char *text, const struct unit *units, int64_t *value) {
    char *end;
    errno = 0;
    if (!isdigit((unsigned char) *text)) {
        return false;
    }
    *value = strtoll(text, &end, 10);
    if (errno != 0) {
        return false;
    }
    while (isspace((unsigned char) *end)) {
        end++;
    }
    if (*value == 0 && *end == '\0') {
        return true;
    }
    for (; units->name != NULL; units++) {
        if (strcasecmp(end, units->name) == 0) {
            return !__builtin_mul_overflow(*value, units->factor, value);
        }
    }
    return false;
}

static int set_quantity(const struct option *option, const char *text, const char *source, int64_t *field) {
    const struct unit *units = units_of(option);
    int64_t least;
    int64_t most;
    int64_t value;
    parse_quantity(option->least, units, &least);
    parse_quantity(option->most, units, &most);
    if (!parse_quantity(text, units, &value)) {
        return trib_fail(TRIB_ATTACH_FAILED, "%s: '%s' is not a %s (%s)", option->key, text,
                         kind_of(option) == TRIB_DURATION ? "duration such as 50us, 10ms or 2s"
                         : kind_of(option) == TRIB_SIZE ? "size such as 65536, 64k or 1g" : "number", source);
    }
    if (value < least || value > most) {
        return trib_fail(TRIB_ATTACH_FAILED, "%s: %s is outside %s to %s (%s)", option->key, text, option->least,
                         option->most, source);
    }
    *field = value;
    return TRIB_OK;
}

static int set_choice(const struct option *option, const char *text, const char *source, int *field) {
    size_t most = sizeof option->choices / sizeof *option->choices;
    char listed[100] = "";
    for (size_t i = 0; i < most && option->choices[i] != NULL; i++) {
        if (strcmp(text, option->choices[i]) == 0) {
            *field = (int) i;
            return TRIB_OK;
        }
        size_t length = strlen(listed);
        snprintf(listed + length, sizeof listed - length, "%s%s", i == 0 ? "" : ", ", option->choices[i]);
    }
    return trib_fail(TRIB_ATTACH_FAILED, "%s: '%s' is not one of %s (%s)", option->key, text, listed, source);
}

bool trib_channel_design_is_fixed(int design) {
    return design == TRIB_FABRIC_CHANNELS_FIXED_TOP || design == TRIB_FABRIC_CHANNELS_FIXED_BOTTOM;
}

bool trib_channel_design_fits(int design, int64_t bytes) {
    int64_t most = trib_channel_design_is_fixed(design) ? TRIB_BLOCK_MAX_SLOTS * TRIB_BLOCK_SLOT_BYTES
        : TRIB_BLOCK_MAX_VARIABLE_BYTES;
    return design >= TRIB_FABRIC_CHANNELS_FIXED_TOP && design <= TRIB_FABRIC_CHANNELS_VARIABLE_BOTTOM
        && bytes >= 2 * TRIB_BLOCK_SLOT_BYTES && bytes <= most && bytes % TRIB_BLOCK_SLOT_BYTES == 0;
}

/** Takes a text up to a colon, and what is behind it, or NULL. */
static const char *split(const char *text, char part[32]) {
    size_t length = strcspn(text, ":");
    snprintf(part, 32, "%.*s", (int) length, text);
    return text[length] == '\0' ? NULL : text + length + 1;
}

/** A number of channels, perhaps a design, and perhaps a size; servers tell ranks which these are. */
static int set_channels(const struct option *option, const char *text, const char *source, int64_t *field) {
    char part[32];
    int design;
    int64_t bytes;
    const char *rest = split(text, part);
    TRIB_TRY(set_quantity(option, part, source, field));
    if (rest == NULL) {
        return TRIB_OK;
    }
    rest = split(rest, part);
    TRIB_TRY(set_choice(option, part, source, &design));
    if (rest != NULL && (!parse_quantity(rest, sizes, &bytes) || !trib_channel_design_fits(design, bytes))) {
        return trib_fail(TRIB_ATTACH_FAILED, "%s: a block of %s cannot have '%s' bytes (%s)", option->key, part, rest,
                         source);
    }
    return TRIB_OK;
}

static int set_stripped(struct trib_settings *settings, const struct option *option, const char *text,
                        const char *source) {
    void *field = (char *) settings + option->field;
    switch (kind_of(option)) {
        case TRIB_DURATION:
        case TRIB_SIZE:
        case TRIB_INTEGER:
            return set_quantity(option, text, source, field);
        case TRIB_CHOICE:
            return set_choice(option, text, source, field);
        case TRIB_CHANNELS:
            return set_channels(option, text, source, field);
        case TRIB_TEXT:
            *(const char **) field = text;
            return *text != '\0' ? TRIB_OK : trib_fail(TRIB_ATTACH_FAILED, "%s: the value is empty (%s)", option->key,
                                                      source);
        default:
            if (text[0] != '/' || strlen(text) >= sizeof settings->shm_directory) {
                return trib_fail(TRIB_ATTACH_FAILED, "%s: '%s' is not an absolute path (%s)", option->key, text,
                                 source);
            }
            strcpy(field, text);
            return TRIB_OK;
    }
}

size_t trib_strip(const char **text) {
    while (isspace((unsigned char) **text)) {
        ++*text;
    }
    size_t length = strlen(*text);
    while (length > 0 && isspace((unsigned char) (*text)[length - 1])) {
        length--;
    }
    return length;
}

/** As Java, without blanks around the text; a text as such keeps those behind it, which mean nothing. */
static int set(struct trib_settings *settings, const struct option *option, const char *text, const char *source) {
    char stripped[PATH_MAX];
    size_t length = trib_strip(&text);
    if (kind_of(option) == TRIB_TEXT || text[length] == '\0' || length >= sizeof stripped) {
        return set_stripped(settings, option, text, source);
    }
    memcpy(stripped, text, length);
    stripped[length] = '\0';
    return set_stripped(settings, option, stripped, source);
}

bool trib_is_consecutive(const char *groups) {
    size_t length = strlen(TRIB_CONSECUTIVE);
    return strncmp(groups, TRIB_CONSECUTIVE, length) == 0
        && groups[length + strspn(groups + length, " \t\r\n")] == '\0';
}

/** The value that the last assignment to a key gives it; NULL when there is none. */
static const char *assigned(const char *const *assignments, const char *key) {
    const char *found = NULL;
    size_t length = strlen(key);
    for (; assignments != NULL && *assignments != NULL; assignments++) {
        if (strncmp(*assignments, key, length) == 0 && (*assignments)[length] == '=') {
            found = *assignments + length + 1;
        }
    }
    return found;
}

static int check_keys(const char *const *assignments) {
    for (; assignments != NULL && *assignments != NULL; assignments++) {
        const char *equals = strchr(*assignments, '=');
        size_t length = equals == NULL ? 0 : (size_t) (equals - *assignments);
        bool known = false;
        for (size_t i = 0; i < OPTIONS; i++) {
            known |= strlen(options[i].key) == length && strncmp(options[i].key, *assignments, length) == 0;
        }
        if (!known) {
            return trib_fail(TRIB_ATTACH_FAILED, "'%s' is not of the form key=value with the key of a rank's setting",
                             *assignments);
        }
    }
    return TRIB_OK;
}

/** As Java, which tells a mistyped name from one that is not set. */
static int check_variables(void) {
    static const char *const known[] = {TRIB_VARIABLES};
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        size_t length = strcspn(*entry, "=");
        bool is_known = strncmp(*entry, TRIB_VARIABLE_PREFIX, strlen(TRIB_VARIABLE_PREFIX)) != 0;
        for (size_t i = 0; i < sizeof known / sizeof *known && !is_known; i++) {
            is_known = strlen(known[i]) == length && strncmp(known[i], *entry, length) == 0;
        }
        if (!is_known) {
            return trib_fail(TRIB_ATTACH_FAILED, "unknown environment variable %.*s", (int) length, *entry);
        }
    }
    return TRIB_OK;
}

static int check_together(const struct trib_settings *settings) {
    int64_t size = settings->cooperation_group_size;
    if (size > 0 && !trib_is_consecutive(settings->cooperation_groups)) {
        return trib_fail(TRIB_ATTACH_FAILED, "cooperation.group-size = %lld and cooperation.groups = %.200s are both"
                         " set; give one", (long long) size, settings->cooperation_groups);
    }
    if (settings->cooperation_bulk_threshold > settings->cooperation_channel_bytes / 4) {
        return trib_fail(TRIB_ATTACH_FAILED, "cooperation.bulk-threshold = %lld is more than a quarter of"
                         " cooperation.channel-bytes = %lld", (long long) settings->cooperation_bulk_threshold,
                         (long long) settings->cooperation_channel_bytes);
    }
    return TRIB_OK;
}

int trib_settings_read(struct trib_settings *settings, const char *const *assignments) {
    int status = check_keys(assignments);
    status = status == TRIB_OK ? check_variables() : status;
    trib_error *first = status == TRIB_OK ? NULL : trib_error_copy();
    for (size_t i = 0; i < OPTIONS; i++) {
        const struct option *option = &options[i];
        const char *given = assigned(assignments, option->key);
        const char *source = given != NULL ? "set" : option->variable;
        given = given != NULL ? given : getenv(option->variable);
        int own = given == NULL ? TRIB_OK : set(settings, option, given, source);
        if (own != TRIB_OK && status == TRIB_OK) {
            status = own;
            first = trib_error_copy();
        }
        if (given == NULL || own != TRIB_OK) {
            set(settings, option, i > 0 && settings->dedicated ? option->dedicated : option->standard, "default");
        }
    }
    return status == TRIB_OK ? check_together(settings) : first == NULL ? status : trib_error_raise(first);
}

/** The shortest exact form, as Quantity.format of Java writes it; returns its length. */
static int format_quantity(const struct unit *units, int64_t value, char text[32]) {
    int length = snprintf(text, 32, "%lld", (long long) value);
    for (; value != 0 && units->name != NULL; units++) {
        if (value % units->factor == 0) {
            length = snprintf(text, 32, "%lld%s", (long long) (value / units->factor), units->name);
        }
    }
    return length;
}

void trib_settings_shared(const struct trib_settings *settings,
                          void (*take)(void *context, const char *key, const char *text, size_t bytes), void *context) {
    for (size_t i = 0; i < OPTIONS; i++) {
        const struct option *option = &options[i];
        const void *field = (const char *) settings + option->field;
        char number[32];
        if ((option->kind & TRIB_SHARED) == 0) {
            continue;
        }
        if (kind_of(option) == TRIB_CHOICE) {
            const char *choice = option->choices[*(const int *) field];
            take(context, option->key, choice, strlen(choice));
        } else if (kind_of(option) == TRIB_TEXT) {
            const char *text = *(const char *const *) field;
            size_t bytes = trib_strip(&text);
            take(context, option->key, text, bytes);
        } else {
            int length = format_quantity(units_of(option), *(const int64_t *) field, number);
            take(context, option->key, number, (size_t) length);
        }
    }
}
