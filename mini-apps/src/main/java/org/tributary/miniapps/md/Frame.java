package org.tributary.miniapps.md;

import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.error.OutOfSharedMemoryException;
import org.tributary.miniapps.Progress;
import org.tributary.miniapps.Report;
import org.tributary.wire.shape.ReduceOp;

/** All atoms at one time, in the order of their numbers, on rank 0. */
final class Frame {
    /** Times that a file goes through all atoms. */
    private static final long FIELDS = 4;

    private final double[] records;

    private Frame(double[] records) {
        this.records = records;
    }

    /**
     * Gathers the atoms of all ranks: each takes a range of rank 0's memory by fetch-and-add, and puts its atoms there.
     * Collective; the frame is empty on other ranks.
     */
    static Frame gather(Gas gas, Atoms atoms, long all) {
        long bytesOfRecord = (long) Atoms.RECORD * Double.BYTES;
        try (GlobalMemory memory = gas.allocate(gas.rank() == 0 ? Long.BYTES + all * bytesOfRecord : 0)) {
            double[] own = new double[Atoms.RECORD * atoms.own()];
            for (int atom = 0; atom < atoms.own(); atom++) {
                atoms.writeRecord(atom, own, Atoms.RECORD * atom);
            }
            long first = memory.fetchAndAdd(0, 0, atoms.own());
            memory.put(0, Long.BYTES + first * bytesOfRecord, MemorySegment.ofArray(own));
            gas.barrier();
            double[] records = new double[gas.rank() == 0 ? Math.toIntExact(Atoms.RECORD * all) : 0];
            for (int at = 0; at < records.length; at += Atoms.RECORD) {
                MemorySegment record = memory.local().asSlice(Long.BYTES + (long) at * Double.BYTES, bytesOfRecord);
                int number = (int) record.getAtIndex(ValueLayout.JAVA_DOUBLE, Atoms.RECORD - 1);
                MemorySegment.copy(record, ValueLayout.JAVA_DOUBLE, 0, records, Atoms.RECORD * number, Atoms.RECORD);
            }
            return new Frame(records);
        }
    }

    /**
     * Gathers the atoms and writes them to a file, on rank 0; collective. What keeps it from that is said on standard
     * error.
     *
     * @return whether they are written, the same on every rank
     */
    static boolean write(Gas gas, Atoms atoms, long all, Path file, Report out) {
        String problem = null;
        try {
            Frame frame = gather(gas, atoms, all);
            if (gas.rank() == 0) {
                frame.write(file, out.progress("md, frame", FIELDS * frame.atoms()));
            }
        } catch (OutOfSharedMemoryException e) { // on all ranks
            problem = e.getMessage();
        } catch (IOException e) {
            problem = e.toString();
        }
        if (gas.rank() == 0 && problem != null) {
            System.err.println("cannot write the atoms to " + file + ": " + problem);
        }
        return gas.world().allreduce(ReduceOp.MIN, problem == null ? 1 : 0) == 1;
    }

    /** How many atoms are here. */
    int atoms() {
        return records.length / Atoms.RECORD;
    }

    double position(int atom, int dimension) {
        return records[Atoms.RECORD * atom + dimension];
    }

    double velocity(int atom, int dimension) {
        return records[Atoms.RECORD * atom + Atoms.STRIDE + dimension];
    }

    double charge(int atom) {
        return records[Atoms.RECORD * atom + Atoms.STRIDE - 1];
    }

    /** Writes a file of VTK's legacy format, as ParaView opens it: points with charge and velocity. */
    void write(Path file, Progress progress) throws IOException {
        try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.US_ASCII))) {
            out.printf(Locale.ROOT, "# vtk DataFile Version 3.0%natoms%nASCII%nDATASET POLYDATA%nPOINTS %d double%n",
                atoms());
            for (int atom = 0; atom < atoms(); atom++) {
                out.printf(Locale.ROOT, "%.9g %.9g %.9g%n", position(atom, 0), position(atom, 1), position(atom, 2));
                progress.step();
            }
            out.printf(Locale.ROOT, "VERTICES %d %d%n", atoms(), 2 * atoms());
            for (int atom = 0; atom < atoms(); atom++) {
                out.printf(Locale.ROOT, "1 %d%n", atom);
                progress.step();
            }
            out.printf(Locale.ROOT, "POINT_DATA %d%nSCALARS charge double 1%nLOOKUP_TABLE default%n", atoms());
            for (int atom = 0; atom < atoms(); atom++) {
                out.printf(Locale.ROOT, "%.9g%n", charge(atom));
                progress.step();
            }
            out.printf(Locale.ROOT, "VECTORS velocity double%n");
            for (int atom = 0; atom < atoms(); atom++) {
                out.printf(Locale.ROOT, "%.9g %.9g %.9g%n", velocity(atom, 0), velocity(atom, 1), velocity(atom, 2));
                progress.step();
            }
            if (out.checkError()) {
                throw new IOException("not everything could be written");
            }
        }
    }
}
