package org.tributary.globalarrays.kernel;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import org.tributary.config.ConfigException;

/**
 * Products of matrices by a library in C, through the interface CBLAS with sizes of 32 bits. The property
 * {@value #PROPERTY} chooses it: {@code auto} (default) is OpenBLAS where it is installed, {@code none} is none, and
 * anything else the name of a library or a file. A rank has a processor of its own, so OpenBLAS is told to compute in
 * the calling thread, for the whole process, unless {@code OPENBLAS_NUM_THREADS} or {@code OMP_NUM_THREADS} is set. Any
 * thread.
 */
@SuppressWarnings("restricted") // calling C is what this class is for; started with native access enabled
final class Blas {
    static final String PROPERTY = "tributary.blas";
    private static final String AUTO = "auto";
    private static final String NONE = "none";
    private static final String OPEN_BLAS = "libopenblas.so.0";
    /** In how an OpenBLAS was built. */
    private static final String LONG_SIZES = "USE64BITINT";
    /** Of CBLAS. */
    private static final int ROW_MAJOR = 101;
    private static final int AS_IT_IS = 111;
    private static final int TRANSPOSED = 112;
    private static final int TEXT_BYTES = 256;

    private static boolean isFound;
    private static Blas found;

    private final String name;
    private final MethodHandle doubles;
    private final MethodHandle floats;

    private Blas(String name, MethodHandle doubles, MethodHandle floats) {
        this.name = name;
        this.doubles = doubles;
        this.floats = floats;
    }

    /**
     * The one that this process uses, looked for once; null for none.
     *
     * @throws ConfigException see {@link #find}
     */
    static synchronized Blas found() {
        if (!isFound) {
            found = find(System.getProperty(PROPERTY, AUTO));
            isFound = true;
        }
        return found;
    }

    /**
     * The one that a value of the property means; null for none.
     *
     * @throws ConfigException when a library that is named is not there, or is no CBLAS
     */
    static Blas find(String wanted) {
        if (wanted.equals(NONE)) {
            return null;
        }
        try {
            SymbolLookup library = SymbolLookup.libraryLookup(wanted.equals(AUTO) ? OPEN_BLAS : wanted,
                Arena.global());
            String build = build(library);
            if (build.contains(LONG_SIZES)) {
                throw new IllegalArgumentException("its sizes have 64 bits (" + build + ")");
            }
            Blas blas = new Blas(build.startsWith("OpenBLAS ") ? build.split(" ")[0] + " " + build.split(" ")[1]
                : wanted, product(library, "cblas_dgemm", ValueLayout.JAVA_DOUBLE),
                product(library, "cblas_sgemm", ValueLayout.JAVA_FLOAT));
            if (System.getenv("OPENBLAS_NUM_THREADS") == null && System.getenv("OMP_NUM_THREADS") == null) {
                useOneThread(library);
            }
            return blas;
        } catch (IllegalArgumentException e) {
            if (wanted.equals(AUTO)) {
                return null;
            }
            throw new ConfigException(PROPERTY + "=" + wanted + ": " + e.getMessage() + "; '" + AUTO + "' takes "
                + OPEN_BLAS + " where it is, '" + NONE + "' computes in Java");
        }
    }

    private static MethodHandle product(SymbolLookup library, String function, MemoryLayout number) {
        MemoryLayout size = ValueLayout.JAVA_INT;
        MemoryLayout matrix = ValueLayout.ADDRESS;
        MemorySegment code = library.find(function).orElseThrow(() -> new IllegalArgumentException("it has no "
            + function));
        return Linker.nativeLinker().downcallHandle(code, FunctionDescriptor.ofVoid(size, size, size, size, size, size,
            number, matrix, size, matrix, size, number, matrix, size));
    }

    /** How an OpenBLAS was built, such as "OpenBLAS 0.3.21 DYNAMIC_ARCH"; empty for other libraries. */
    private static String build(SymbolLookup library) {
        Optional<MemorySegment> code = library.find("openblas_get_config");
        if (code.isEmpty()) {
            return "";
        }
        try {
            MemorySegment text = (MemorySegment) Linker.nativeLinker().downcallHandle(code.get(),
                FunctionDescriptor.of(ValueLayout.ADDRESS)).invokeExact();
            return text.reinterpret(TEXT_BYTES).getString(0);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private static void useOneThread(SymbolLookup library) {
        library.find("openblas_set_num_threads").ifPresent(code -> {
            try {
                Linker.nativeLinker().downcallHandle(code, FunctionDescriptor.ofVoid(ValueLayout.JAVA_INT))
                    .invokeExact(1);
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        });
    }

    /** What it says it is. */
    String name() {
        return name;
    }

    /**
     * {@code c = op(a) op(b) + beta c}, doubles, dense in row-major order, in memory outside the heap.
     *
     * @param c {@code rows x columns}
     * @param a {@code rows x depth}, or {@code depth x rows} when transposed
     * @param b {@code depth x columns}, or {@code columns x depth} when transposed
     */
    void addDoubles(MemorySegment c, int rows, int columns, int depth, MemorySegment a, boolean aTransposed,
        MemorySegment b, boolean bTransposed, double beta) {
        try {
            doubles.invokeExact(ROW_MAJOR, aTransposed ? TRANSPOSED : AS_IT_IS, bTransposed ? TRANSPOSED : AS_IT_IS,
                rows, columns, depth, 1.0, a, aTransposed ? rows : depth, b, bTransposed ? depth : columns, beta, c,
                columns);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** The same with floats. */
    void addFloats(MemorySegment c, int rows, int columns, int depth, MemorySegment a, boolean aTransposed,
        MemorySegment b, boolean bTransposed, float beta) {
        try {
            floats.invokeExact(ROW_MAJOR, aTransposed ? TRANSPOSED : AS_IT_IS, bTransposed ? TRANSPOSED : AS_IT_IS,
                rows, columns, depth, 1f, a, aTransposed ? rows : depth, b, bTransposed ? depth : columns, beta, c,
                columns);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
