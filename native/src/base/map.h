/* A hash map from numbers to numbers, of the size of what is in it. Not thread-safe. */
#ifndef TRIB_MAP_H
#define TRIB_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trib_map_entry {
    int64_t key;
    int64_t value;
    bool used;
};

/** All zero is an empty map. */
struct trib_map {
    struct trib_map_entry *entries;
    size_t slots;
    size_t count;
};

/** The value of a key, or that for a missing one. */
int64_t trib_map_get(const struct trib_map *map, int64_t key, int64_t missing);
/** Sets a value; false when memory is short, which it is for no key that is there already. */
bool trib_map_put(struct trib_map *map, int64_t key, int64_t value);
/** Removes a key; whether it was there. */
bool trib_map_remove(struct trib_map *map, int64_t key);
void trib_map_free(struct trib_map *map);

#endif
