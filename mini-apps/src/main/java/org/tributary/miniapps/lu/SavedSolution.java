package org.tributary.miniapps.lu;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.tributary.client.Gas;
import org.tributary.globalarrays.Block;
import org.tributary.globalarrays.GlobalArray;
import org.tributary.globalarrays.file.Checkpoint;
import org.tributary.miniapps.exchange.ProcessGrid;
import org.tributary.wire.shape.ElementType;

/**
 * The solution in a checkpoint. The array has dimensions z, y, x and the number of a point, and the blocks of it are
 * the boxes of the ranks, without ghosts. Whatever else the solver has follows from the solution. Collective.
 */
final class SavedSolution implements AutoCloseable {
    private final Box box;
    private final GlobalArray array;
    private final Checkpoint checkpoint;

    SavedSolution(Gas gas, ProblemClass problem, Box box, ProcessGrid processes, Path file) {
        this.box = box;
        int points = box.points();
        array = GlobalArray.builder(gas, "solution", ElementType.DOUBLE, points, points, points, Flow.NUMBERS)
            .blocks(new long[] {0}, starts(points, processes.extent(0)), starts(points, processes.extent(1)),
                new long[] {0})
            .create();
        checkpoint = Checkpoint.of(file, "lu class " + problem, array);
    }

    private static long[] starts(int points, int parts) {
        long[] starts = new long[parts];
        for (int part = 0; part < parts; part++) {
            starts[part] = Box.start(points, part, parts);
        }
        return starts;
    }

    /** Writes a solution as that after so many steps. */
    void write(double[] solution, int step) {
        Block own = array.access();
        forEachRow((offset, at, length) ->
            MemorySegment.copy(solution, at, own.segment(), ValueLayout.JAVA_DOUBLE, offset, length));
        checkpoint.write(step);
    }

    /** Reads what was written last, for {@link #copyTo}; nothing when there is no file. */
    OptionalLong restore() {
        return checkpoint.restore();
    }

    /** Sets all points of the box. */
    void copyTo(double[] solution) {
        Block own = array.access();
        forEachRow((offset, at, length) ->
            MemorySegment.copy(own.segment(), ValueLayout.JAVA_DOUBLE, offset, solution, at, length));
    }

    /** A row along x: its byte offset in the block, its place in the solution, and how many numbers it has. */
    private interface Row {
        void copy(long offset, int at, int length);
    }

    private void forEachRow(Row row) {
        Block own = array.access();
        for (int z = 0; z < box.extent(2); z++) {
            for (int y = 0; y < box.extent(1); y++) {
                row.copy(own.offset(z, box.start(1) + y, box.start(0), 0), Flow.NUMBERS * box.at(0, y, z),
                    Flow.NUMBERS * box.extent(0));
            }
        }
    }

    @Override
    public void close() {
        array.close();
    }
}
