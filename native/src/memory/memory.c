/* Memory of which members of a group have parts: the object, and the parts of the ranks of this node. */
#include "memory.h"

static void remember(trib_memory *memory) {
    trib *job = memory->job;
    pthread_mutex_lock(&job->lock);
    memory->next = job->memories;
    if (memory->next != NULL) {
        memory->next->previous = memory;
    }
    job->memories = memory;
    pthread_mutex_unlock(&job->lock);
}

void trib_memory_unmap(trib_memory *memory) {
    trib_adapter_disown(memory->job, memory->file);
    trib_node_unmap(memory->file, memory->file_bytes);
    memory->file = NULL;
}

static void free_object(trib_memory *memory) {
    trib_memory_unmap(memory);
    free(memory->parts);
    free(memory->sizes);
    free(memory->bases);
    free(memory);
}

int trib_memory_new(trib *job, trib_group *group, const struct trib_members *members, int64_t id, int64_t *sizes,
                    int64_t uniform, const struct trib_layout *layout, trib_memory **memory) {
    char name[32];
    trib_memory *made = calloc(1, sizeof *made);
    struct trib_part *parts = calloc((size_t) job->node.rank_count, sizeof *parts);
    if (made == NULL || parts == NULL) {
        free(made);
        free(parts);
        free(sizes);
        return trib_fail(TRIB_NO_MEMORY, "no memory for another allocation");
    }
    *made = (trib_memory) {.job = job, .group = group, .members = members, .id = id, .sizes = sizes,
        .uniform_bytes = uniform, .parts = parts};
    for (int i = 0; i < job->node.rank_count; i++) {
        parts[i].bytes = -1;
    }
    snprintf(name, sizeof name, TRIB_SEGMENT_FILE "%llx", (unsigned long long) id);
    int status = trib_node_map(job, name, &made->file, &made->file_bytes);
    trib_adapter_own(job, made->file, made->file_bytes);
    for (int i = 0; i < layout->count && status == TRIB_OK; i++) {
        if (layout->offsets[i] + layout->lengths[i] > (int64_t) made->file_bytes) {
            status = trib_fail(TRIB_SYSTEM, "%s/%s has %zu bytes, too few for the parts in it", job->node.directory,
                               name, made->file_bytes);
        } else {
            parts[trib_node_index(&job->node, layout->ranks[i])] = (struct trib_part) {
                .base = made->file == NULL ? NULL : made->file + layout->offsets[i],
                .bytes = layout->lengths[i],
                .file_offset = layout->offsets[i],
            };
        }
    }
    if (status != TRIB_OK) {
        free_object(made);
        return status;
    }
    remember(made);
    *memory = made;
    return TRIB_OK;
}

void trib_memory_forget(trib_memory *memory) {
    trib *job = memory->job;
    trib_addresses_withdraw(memory);
    trib_adapter_forget(job, memory->id);
    pthread_mutex_lock(&job->lock);
    if (memory->previous != NULL) {
        memory->previous->next = memory->next;
    } else {
        job->memories = memory->next;
    }
    if (memory->next != NULL) {
        memory->next->previous = memory->previous;
    }
    pthread_mutex_unlock(&job->lock);
    if (memory->mutexes != NULL) {
        trib_mutexes_forget(memory->mutexes);
    }
    free_object(memory);
}

int64_t trib_memory_bytes(const trib_memory *memory, int rank) {
    return trib_memory_part_bytes(memory, rank);
}

void *trib_memory_at(const trib_memory *memory, int rank) {
    const struct trib_part *part = trib_memory_part(memory, rank);
    return part == NULL || part->bytes == 0 ? NULL : part->base;
}

void *trib_memory_local(const trib_memory *memory) {
    return trib_memory_at(memory, memory->job->place.rank);
}

trib_group *trib_memory_group(const trib_memory *memory) {
    return memory->group;
}

int64_t trib_memory_id(const trib_memory *memory) {
    return memory->id;
}
