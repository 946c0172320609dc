/* Unit tests in files of their own. */
#ifndef TRIB_UNITS_H
#define TRIB_UNITS_H

/** Segments that a member has freed. */
void test_freed(void);
void test_handshake(void);
/** Ranks that leave after all others of their node. */
void test_last(void);
void test_nodes(void);
/** What tributary-bench says while it runs. */
void test_progress(void);
/** Short operations of which a trace has a sample. */
void test_samples(void);
/** Servers that ranks start. */
void test_servers(void);
void test_settings(void);
/** Prints each assignment to a setting with each, and whether a rank takes both. */
void print_pairs(int count, char **assignments);
void test_topology(void);
/** Prints each layout in its shortest form, or what is wrong with it. */
void print_layouts(int count, char **layouts);
/** Locks of accumulates, whose holder is another process. */
void test_stripes(void);
/** Places in which a rank says what its threads wait for. */
void test_wait_slots(void);
/** Records of encrypted connections; print_records: those that Java makes of the same secrets. */
void test_records(void);
void print_records(void);
/** Streams that the kernel encrypts; fails where it cannot. */
void test_kernel_records(void);
/** Prints the kernel's structures for two keys that follow each other. */
void print_kernel_keys(void);

#endif
