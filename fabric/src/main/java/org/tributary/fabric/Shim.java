package org.tributary.fabric;

import jnr.ffi.annotations.IgnoreError;

/**
 * {@code native/fabric/tributary_fabric.h}, which explains it. Addresses and handles are longs. Functions of at most
 * five integers are what jnr-ffi calls without a detour. Public because jnr-ffi implements it. The C client calls the
 * same functions, and its build holds all of this against the header.
 */
@IgnoreError
public interface Shim {
    /** Of {@code tf_info_number}. */
    int REMOTE_MEMORY = 0;
    int INJECT_BYTES = 1;
    int MESSAGE_BYTES = 2;
    int DATA_BYTES = 3;
    int OPERATIONS = 4;
    int ORDERS_WRITES = 5;
    int ORDERS_BYTES = 6;
    int AUTOMATIC = 7;
    int ORDERS_READS = 8;
    int KEY_BYTES = 9;
    /** Of {@code tf_info_text}. */
    int PROVIDER = 0;
    int DOMAIN = 2;
    /** Of {@code tf_region_number}. */
    int KEY = 0;
    int BASE = 1;
    /** Of {@code tf_event}, and of {@code tf_poll}. */
    int EVENT_WORDS = 3;
    int DONE = 0;
    int ARRIVED = 1;
    /** Of {@code tf_error}. */
    int AGAIN = -11;
    int NO_DATA = -61;
    int NO_SYSTEM_CALL = -38;
    /** Of memory for a text. */
    int TEXT_BYTES = 256;
    /** Signals are below this. */
    int SIGNALS = 32;

    long tf_version();

    long tf_cache_no_regions();

    long tf_error_text(long error, long text, long size);

    long tf_find(long provider, long node, long list);

    long tf_next(long info);

    long tf_info_number(long info, long which);

    long tf_info_text(long info, long which, long text, long size);

    void tf_free(long list);

    long tf_domain_open(long info, long domain);

    void tf_domain_close(long domain);

    long tf_endpoint_open(long domain, long endpoint);

    void tf_endpoint_close(long endpoint);

    long tf_address(long endpoint, long address, long size);

    long tf_peer(long endpoint, long address);

    long tf_descriptor(long endpoint);

    long tf_may_sleep(long endpoint);

    void tf_sleep(long descriptor, long ns);

    long tf_poll(long endpoint, long events, long count);

    long tf_failure(long endpoint, long text, long size);

    long tf_region_open(long endpoint, long memory, long bytes, long key, long region);

    long tf_region_open_local(long endpoint, long memory, long bytes, long key, long region);

    long tf_region_local(long endpoint, long region);

    long tf_region_number(long region, long which);

    long tf_region_close(long region);

    long tf_remote_open(long endpoint, long peer, long base, long key, long remote);

    void tf_remote_close(long remote);

    long tf_write(long remote, long offset, long region, long memory, long size);

    long tf_write_delivered(long remote, long offset, long region, long memory, long size);

    long tf_write_ahead(long remote, long offset, long region, long memory, long size);

    void tf_data(long remote, long data);

    long tf_write_data(long remote, long offset, long region, long memory, long size);

    long tf_write_data_delivered(long remote, long offset, long region, long memory, long size);

    long tf_inject(long remote, long offset, long memory, long bytes);

    long tf_inject_data(long remote, long offset, long memory, long bytes, long data);

    long tf_read(long remote, long offset, long region, long memory, long size);
}
