#include "map.h"

#include <stdlib.h>

#define LEAST_SLOTS 16

static size_t home(const struct trib_map *map, int64_t key) {
    return (size_t) ((uint64_t) key * 0x9E3779B97F4A7C15u >> 32) & (map->slots - 1);
}

/** The slot of a key, or the free one where it would go; the map has a free slot. */
static size_t find(const struct trib_map *map, int64_t key) {
    size_t slot = home(map, key);
    while (map->entries[slot].used && map->entries[slot].key != key) {
        slot = (slot + 1) & (map->slots - 1);
    }
    return slot;
}

int64_t trib_map_get(const struct trib_map *map, int64_t key, int64_t missing) {
    if (map->slots == 0) {
        return missing;
    }
    const struct trib_map_entry *entry = &map->entries[find(map, key)];
    return entry->used ? entry->value : missing;
}

static bool grow(struct trib_map *map) {
    struct trib_map larger = {.slots = map->slots == 0 ? LEAST_SLOTS : 2 * map->slots, .count = map->count};
    larger.entries = calloc(larger.slots, sizeof *larger.entries);
    if (larger.entries == NULL) {
        return false;
    }
    for (size_t i = 0; i < map->slots; i++) {
        if (map->entries[i].used) {
            larger.entries[find(&larger, map->entries[i].key)] = map->entries[i];
        }
    }
    free(map->entries);
    *map = larger;
    return true;
}

bool trib_map_put(struct trib_map *map, int64_t key, int64_t value) {
    struct trib_map_entry *entry = map->slots == 0 ? NULL : &map->entries[find(map, key)];
    if (entry == NULL || !entry->used) {
        if (2 * (map->count + 1) > map->slots && !grow(map)) {
            return false;
        }
        entry = &map->entries[find(map, key)];
        map->count++;
    }
    *entry = (struct trib_map_entry) {.key = key, .value = value, .used = true};
    return true;
}

bool trib_map_remove(struct trib_map *map, int64_t key) {
    if (map->slots == 0) {
        return false;
    }
    size_t hole = find(map, key);
    if (!map->entries[hole].used) {
        return false;
    }
    map->entries[hole].used = false;
    map->count--;
    /* Those behind the hole that no longer can be found move up. */
    for (size_t at = (hole + 1) & (map->slots - 1); map->entries[at].used; at = (at + 1) & (map->slots - 1)) {
        struct trib_map_entry moved = map->entries[at];
        map->entries[at].used = false;
        map->entries[find(map, moved.key)] = moved;
    }
    return true;
}

void trib_map_free(struct trib_map *map) {
    free(map->entries);
    *map = (struct trib_map) {0};
}
