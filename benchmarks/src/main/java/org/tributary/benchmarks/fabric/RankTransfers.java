package org.tributary.benchmarks.fabric;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.tributary.benchmarks.measure.Effort;
import org.tributary.benchmarks.measure.Repeatable;
import org.tributary.benchmarks.measure.Sample;
import org.tributary.benchmarks.measure.Stopwatch;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.fabric.CompletionHandler;
import org.tributary.fabric.FabricException;
import org.tributary.fabric.FabricKind;

/**
 * The program of a job of two ranks on two nodes: gets and puts of rank 0, beside reads and writes of the adapter alone
 * between the same two processes. Rank 1 makes progress for the adapter alone, and sleeps while rank 0 gets and puts.
 * Prints a line for each measurement. Arguments: the kind of provider, the rounds, the iterations for each size.
 */
public final class RankTransfers implements CompletionHandler {
    static final String GET = "get";
    static final String PUT = "put+fence";
    static final int[] SIZES = {8, 4 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20};
    /** Of a line: operation, bytes, us of the adapter alone, us of the rank. */
    static final String LINE = "transfer %s %d %.4f %.4f%n";
    private static final int LINE_BYTES = 64 << 10;
    private static final int SMALL_BYTES = 8 << 10;
    private static final int LARGE_DIVISOR = 20;
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private final Gas gas;
    private final GlobalMemory memory;
    private final FabricSide side;
    private final MemorySegment own;
    private final Stopwatch stopwatch = new Stopwatch();
    private long step;
    private long events;

    private RankTransfers(Gas gas, GlobalMemory memory, FabricSide side, MemorySegment own) {
        this.gas = gas;
        this.memory = memory;
        this.side = side;
        this.own = own;
    }

    /** See the class. */
    public static void main(String[] arguments) throws IOException {
        try (Gas gas = Gas.attach();
             Arena arena = Arena.ofConfined();
             GlobalMemory memory = gas.allocate(FabricSide.REGION_BYTES + LINE_BYTES);
             FabricSide side = new FabricSide(FabricSide.find(FabricKind.valueOf(arguments[0])))) {
            RankTransfers transfers = new RankTransfers(gas, memory, side,
                arena.allocate(FabricSide.REGION_BYTES, FabricSide.ALIGNMENT).fill((byte) 1));
            transfers.connect();
            transfers.run(Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
            gas.barrier();
        }
    }

    /** Both tell each other, behind the bytes that are got and put, where their regions are. */
    private void connect() {
        MemorySegment line = own.asSlice(0, LINE_BYTES);
        line.setString(0, side.describe(), StandardCharsets.US_ASCII);
        memory.put(gas.rank(), FabricSide.REGION_BYTES, line);
        gas.barrier();
        memory.get(1 - gas.rank(), FabricSide.REGION_BYTES, line);
        side.connect(line.getString(0, StandardCharsets.US_ASCII));
        gas.barrier();
        LONG.setVolatile(memory.local(), (long) FabricSide.REGION_BYTES, 0L);
        gas.barrier();
    }

    private void run(int rounds, int iterations) throws IOException {
        for (int bytes : SIZES) {
            for (int round = 0; round < rounds; round++) {
                int count = Math.max(1, bytes > SMALL_BYTES ? iterations / LARGE_DIVISOR : iterations);
                measure(GET, bytes, new Effort(count, count));
                measure(PUT, bytes, new Effort(count, count));
            }
        }
    }

    private void measure(String operation, int bytes, Effort effort) throws IOException {
        step++;
        if (gas.rank() == 0) {
            Sample alone = stopwatch.measure(() -> alone(operation, bytes), effort);
            memory.putLong(1, FabricSide.REGION_BYTES, step);
            gas.fence(1);
            Repeatable transfer = operation.equals(GET) ? () -> memory.get(1, 0, own, 0, bytes) : () -> {
                memory.put(1, 0, own, 0, bytes);
                gas.fence(1);
            };
            Sample rank = stopwatch.measure(transfer, effort);
            System.out.printf(Locale.ROOT, LINE, operation, bytes, alone.medianUs(), rank.medianUs());
        } else {
            while ((long) LONG.getVolatile(memory.local(), (long) FabricSide.REGION_BYTES) < step) {
                side.plain().poll(this);
            }
        }
        gas.barrier();
    }

    private void alone(String operation, int bytes) {
        long before = events;
        while (!begin(operation, bytes)) {
            side.plain().poll(this);
        }
        while (events == before) {
            side.plain().poll(this);
        }
    }

    private boolean begin(String operation, int bytes) {
        return operation.equals(GET) ? side.remote().read(0, side.region(), 0, bytes, 0)
            : side.remote().writeDelivered(0, side.region(), 0, bytes, 0);
    }

    @Override
    public void completed(int context) {
        events++;
    }

    @Override
    public void arrived(int data) {
        // Nobody writes with data.
    }

    @Override
    public void failed(int context, FabricException reason) {
        throw reason;
    }
}
