package org.tributary.miniapps.matmul;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.ToIntFunction;
import org.tributary.client.Gas;
import org.tributary.config.ConfigException;
import org.tributary.config.EnumText;
import org.tributary.config.Topology;
import org.tributary.globalarrays.GlobalArray;
import org.tributary.globalarrays.kernel.TileProducts;
import org.tributary.miniapps.Agreement;
import org.tributary.miniapps.JsonOption;
import org.tributary.miniapps.MiniApp;
import org.tributary.miniapps.Progress;
import org.tributary.miniapps.Report;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code C = A B} for square matrices of pseudo-random numbers. */
@Command(name = "matmul", sortOptions = false,
    description = "Multiplies two distributed matrices: ranks draw tiles of the product from a shared counter, fetch"
        + " what they need, and accumulate the results. Verifies the product.")
public final class Matmul extends MiniApp {
    private static final int SMALLEST_TILE = 16;
    private static final int TILES_PER_RANK = 4;
    /** Matrices of 8 TiB. */
    private static final int LARGEST_SIZE = 1 << 20;
    /** Tiles of 2 GiB, of which a rank has six. */
    private static final int LARGEST_BLOCK = 1 << 14;

    @Option(names = "--size", paramLabel = "N", defaultValue = "1024",
        description = "Rows and columns of the matrices (default: ${DEFAULT-VALUE}).")
    private int size;

    @Option(names = "--block", paramLabel = "B",
        description = "Rows and columns of a tile (default: at most 256, or 512 if a library multiplies on all hosts,"
            + " and small enough for 4 tiles a rank).")
    private Integer block;

    @Option(names = "--type", paramLabel = "double|float", defaultValue = "DOUBLE",
        description = "Type of the elements (default: double).")
    private Precision precision;

    @Option(names = "--iterations", paramLabel = "COUNT", defaultValue = "5",
        description = "How often the product is computed and timed (default: ${DEFAULT-VALUE}).")
    private int iterations;

    /** Types of elements to choose from. */
    enum Precision {
        DOUBLE(ElementType.DOUBLE), FLOAT(ElementType.FLOAT);

        private final ElementType type;

        Precision(ElementType type) {
            this.type = type;
        }
    }

    @Mixin
    private JsonOption json = new JsonOption();

    private final Function<ElementType, String> multiplier;
    private final ToIntFunction<ElementType> largestSide;

    /** Multiplies by what each rank's host has. */
    public Matmul() {
        this(TileProducts::by, TileProducts::largestSide);
    }

    /** The same with other names of what multiplies on this rank, and longest sides of its tiles. */
    Matmul(Function<ElementType, String> multiplier, ToIntFunction<ElementType> largestSide) {
        this.multiplier = multiplier;
        this.largestSide = largestSide;
    }

    public static void main(String[] arguments) {
        main(new Matmul(), arguments);
    }

    @Override
    public void checkLayout(Topology topology) {
        if (size < 1 || iterations < 1 || block != null && (block < 1 || block > size)) {
            throw new ConfigException("--size and --iterations must be positive, and --block between 1 and --size:"
                + " size " + size + ", iterations " + iterations + (block == null ? "" : ", block " + block));
        }
        if (size > LARGEST_SIZE) {
            throw new ConfigException("--size must be " + LARGEST_SIZE + " at most: " + size);
        }
        if (block != null && block > LARGEST_BLOCK) {
            throw new ConfigException("--block must be " + LARGEST_BLOCK + " at most: " + block);
        }
    }

    @Override
    public boolean run(Gas gas, Report out) {
        String by = multiplier(gas);
        int tile = tile(gas);
        GlobalArray a = GlobalArray.create(gas, "A", precision.type, size, size);
        GlobalArray b = a.duplicate("B");
        GlobalArray c = a.duplicate("C");
        TestMatrix.A.fill(a);
        TestMatrix.B.fill(b);
        TileTasks tasks = new TileTasks(gas, a, b, c, tile);
        out.line("matmul: %d x %d %s, %d ranks on %d nodes, %d tiles of %d, multiplied by %s", size, size,
            EnumText.underscored(precision), gas.rankCount(), gas.nodeCount(), tasks.count(), tile, by);
        List<Double> times = new ArrayList<>();
        Progress progress = out.progress("matmul", iterations * tasks.count());
        for (int i = 1; i <= iterations; i++) {
            long before = (i - 1) * tasks.count();
            double seconds = gas.world().allreduce(ReduceOp.MAX, time(tasks, c, task -> progress.at(before + task)));
            times.add(seconds);
            out.line("iteration %d: %.4f s, %.2f GFLOP/s", i, seconds, gigaflops(seconds));
        }
        double best = Collections.min(times);
        long[] shares = gas.world().allgather(tasks.done());
        out.line("best: %.4f s, %.2f GFLOP/s; tiles a rank in all iterations: %d to %d", best, gigaflops(best),
            Arrays.stream(shares).min().orElseThrow(), Arrays.stream(shares).max().orElseThrow());
        boolean right = ProductCheck.verify(gas, a, b, c, out);
        Map<String, Object> figures = JsonOption.figures("matmul", gas);
        figures.put("size", size);
        figures.put("type", EnumText.underscored(precision));
        figures.put("tiles", tasks.count());
        figures.put("tile", tile);
        figures.put("multipliedBy", by);
        figures.put("iterations", iterations);
        figures.put("seconds", best);
        figures.put("secondsOfIterations", times);
        figures.put("gigaflopsPerSecond", gigaflops(best));
        tasks.close();
        c.close();
        b.close();
        a.close();
        return json.write(gas, figures, right);
    }

    /** What multiplies on rank 0, and on how many ranks it is something else, for hosts may differ. */
    private String multiplier(Gas gas) {
        String own = Agreement.on(gas, () -> multiplier.apply(precision.type));
        String first = Agreement.share(gas, 0, own);
        long others = gas.world().allreduce(ReduceOp.SUM, own.equals(first) ? 0 : 1);
        return others == 0 ? first : first + ", otherwise on " + others + " of " + gas.rankCount() + " ranks";
    }

    /** The same on all ranks: they take tiles from one counter. */
    private int tile(Gas gas) {
        if (block != null) {
            return block;
        }
        int tile = (int) gas.world().allreduce(ReduceOp.MIN, (long) largestSide.applyAsInt(precision.type));
        while (tile > SMALLEST_TILE && Math.pow(Math.ceilDiv(size, tile), 2) < TILES_PER_RANK * gas.rankCount()) {
            tile /= 2;
        }
        return Math.min(tile, size);
    }

    private static double time(TileTasks tasks, GlobalArray c, LongConsumer begun) {
        c.zero();
        tasks.reset();
        long startNs = System.nanoTime();
        tasks.run(begun);
        return (System.nanoTime() - startNs) * 1e-9;
    }

    private double gigaflops(double seconds) {
        return 2.0 * size * size * size / seconds * 1e-9;
    }
}
