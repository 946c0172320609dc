package org.tributary.fabric;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.LongSupplier;

/** A place that sends and is written to. One thread at a time uses it and what belongs to it. */
public final class Endpoint extends NativeObject implements Progress {
    private static final int EVENTS = 32;
    private static final int MAX_ADDRESS_BYTES = 255;

    private final Provider provider;
    private final LongSupplier keys;
    private final Shim shim;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment events = arena.allocate(ValueLayout.JAVA_LONG, (long) EVENTS * Shim.EVENT_WORDS);
    private final long eventsAddress = events.address();

    /** {@code keys} gives each region of the domain another one. */
    Endpoint(NativeObject domain, Provider provider, LongSupplier keys, long handle) {
        super(domain, handle);
        this.provider = provider;
        this.keys = keys;
        this.shim = Fabric.load().shim();
    }

    /** Whose adapter it is. */
    public Provider provider() {
        return provider;
    }

    /** The address by which others find it: at most 255 bytes that mean something to the provider only. */
    public byte[] address() {
        try (Arena own = Arena.ofConfined()) {
            MemorySegment address = own.allocate(MAX_ADDRESS_BYTES);
            long length = Fabric.load().check(shim.tf_address(handle(), address.address(), MAX_ADDRESS_BYTES),
                "the address of " + this);
            return address.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /**
     * Another endpoint, by its address. Nothing is sent yet: that nobody is there is found out by the first operation.
     *
     * @throws FabricException          when the provider cannot read the address
     * @throws IllegalArgumentException when it is longer than an address can be
     */
    public Peer peer(byte[] address) {
        if (address.length > MAX_ADDRESS_BYTES) {
            throw new IllegalArgumentException("an address has at most " + MAX_ADDRESS_BYTES + " bytes, not "
                + address.length);
        }
        try (Arena own = Arena.ofConfined()) {
            MemorySegment copy = own.allocate(MAX_ADDRESS_BYTES + 1);
            MemorySegment.copy(address, 0, copy, ValueLayout.JAVA_BYTE, 0, address.length);
            return new Peer(this, shim, provider, Fabric.load().check(shim.tf_peer(handle(), copy.address()),
                "an address of " + provider));
        }
    }

    /**
     * Lets the adapter read and write memory, and others who know its key. The memory must stay until the region is
     * closed.
     *
     * @throws FabricException when it cannot, for instance because less memory may be locked (RLIMIT_MEMLOCK)
     */
    public Region register(MemorySegment memory) {
        checkRegistrable(memory);
        long key = keys.getAsLong();
        return new Region(this, shim, memory, Fabric.load().make(registering(memory),
            cell -> shim.tf_region_open(handle(), memory.address(), memory.byteSize(), key, cell)));
    }

    /**
     * Lets the adapter read and write memory for operations that begin here; nobody else reaches it. The memory may go
     * first, but not during such an operation. Offsets in it count from its beginning.
     *
     * @throws FabricException when it cannot, for instance because less memory may be locked (RLIMIT_MEMLOCK); with the
     *                         code {@link FabricException#NO_SYSTEM_CALL} when others would reach the memory, as they
     *                         do while libfabric keeps a cache of regions
     */
    public LocalMemory registerLocally(MemorySegment memory) {
        checkRegistrable(memory);
        long key = keys.getAsLong();
        return new LocalMemory(this, shim, memory.address(), memory.byteSize(), Fabric.load().make(registering(memory),
            cell -> shim.tf_region_open_local(handle(), memory.address(), memory.byteSize(), key, cell)));
    }

    private static void checkRegistrable(MemorySegment memory) {
        if (!memory.isNative() || memory.byteSize() == 0) {
            throw new IllegalArgumentException("native memory of at least a byte can be registered, not " + memory);
        }
    }

    private String registering(MemorySegment memory) {
        return "registering " + memory.byteSize() + " bytes with " + provider;
    }

    /**
     * All native memory of this process, for operations that begin here; empty unless the provider moves data in calls
     * of this process alone, which those of adapters do not. It must be there until the operation is complete, or the
     * endpoint is closed.
     */
    public Optional<LocalMemory> anyMemory() {
        try (Arena own = Arena.ofConfined()) {
            MemorySegment cell = own.allocate(ValueLayout.JAVA_LONG);
            long result = shim.tf_region_local(handle(), cell.address());
            if (result == Shim.NO_SYSTEM_CALL) {
                return Optional.empty();
            }
            Fabric.load().check(result, "the memory of " + this);
            return Optional.of(new LocalMemory(this, shim, 0, Long.MAX_VALUE, cell.get(ValueLayout.JAVA_LONG, 0)));
        }
    }

    @Override
    public int poll(CompletionHandler handler) {
        long count = shim.tf_poll(handle(), eventsAddress, EVENTS);
        if (count < 0) {
            throw Fabric.load().failure(count, "events of " + this, "");
        }
        for (int i = 0; i < count; i++) {
            tell(handler, (long) i * Shim.EVENT_WORDS);
        }
        return (int) count;
    }

    private void tell(CompletionHandler handler, long at) {
        long kind = events.getAtIndex(ValueLayout.JAVA_LONG, at);
        int value = (int) events.getAtIndex(ValueLayout.JAVA_LONG, at + 1);
        if (kind == Shim.DONE) {
            handler.completed(value);
        } else if (kind == Shim.ARRIVED) {
            handler.arrived(value);
        } else {
            handler.failed(value, Fabric.load().failure(kind, "an operation of " + this,
                Fabric.load().read((text, size) -> shim.tf_failure(handle(), text, size))));
        }
    }

    @Override
    public OptionalInt waitDescriptor() {
        long descriptor = shim.tf_descriptor(handle());
        return descriptor == Shim.NO_SYSTEM_CALL ? OptionalInt.empty()
            : OptionalInt.of((int) Fabric.load().check(descriptor, "the descriptor of " + this));
    }

    @Override
    public boolean maySleep() {
        return Fabric.load().check(shim.tf_may_sleep(handle()), "sleeping on " + this) == 1;
    }

    /**
     * Sleeps until a descriptor of {@link #waitDescriptor} is readable, or for so long. Any thread may do so while
     * others use the endpoint, or close it.
     */
    public static void sleep(int descriptor, long ns) {
        Fabric.load().shim().tf_sleep(descriptor, ns);
    }

    @Override
    void release(long closing) {
        shim.tf_endpoint_close(closing);
        arena.close();
    }

    @Override
    public String toString() {
        return "endpoint of " + provider;
    }
}
