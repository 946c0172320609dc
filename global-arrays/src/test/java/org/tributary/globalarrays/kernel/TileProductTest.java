package org.tributary.globalarrays.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.client.shape.Scale;
import org.tributary.config.ConfigException;
import org.tributary.wire.shape.ElementType;

class TileProductTest {
    private static final ElementType[] TYPES = {ElementType.FLOAT, ElementType.DOUBLE, ElementType.COMPLEX_FLOAT,
        ElementType.COMPLEX_DOUBLE};

    /** Odd and even sizes, so that every padding of the kernel occurs; several products in one sum. */
    @ParameterizedTest
    @CsvSource({"1, 1, 1", "2, 3, 4", "5, 7, 3", "8, 8, 8", "13, 1, 6", "1, 17, 5", "33, 20, 41"})
    void shouldMultiplyLikeTheDefinition(int rows, int columns, int depth) {
        check(null, rows, columns, depth);
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 1", "2, 3, 4", "13, 1, 6", "33, 20, 41"})
    void shouldMultiplyLikeTheDefinitionByALibrary(int rows, int columns, int depth) {
        Blas blas = Blas.find("auto");
        assumeTrue(blas != null, "OpenBLAS is not installed");
        check(blas, rows, columns, depth);
    }

    private static void check(Blas blas, int rows, int columns, int depth) {
        for (ElementType type : TYPES) {
            for (int form = 0; form < 4; form++) {
                check(blas, type, rows, columns, depth, (form & 1) != 0, (form & 2) != 0);
            }
        }
    }

    /** Java's own loops, and OpenBLAS where it is. */
    private static List<Blas> libraries() {
        return Stream.of("none", "auto").map(Blas::find).distinct().toList();
    }

    private static void check(Blas blas, ElementType type, int rows, int columns, int depth, boolean aTransposed,
        boolean bTransposed) {
        Random random = new Random(7);
        TileProduct product = TileProducts.of(type, rows + 3, columns + 3, depth + 3, blas);
        product.begin(rows + 3, columns + 3);
        product.addProduct(Numbers.random(type, (rows + 3) * (depth + 3), random), false,
            Numbers.random(type, (depth + 3) * (columns + 3), random), false, depth + 3);
        product.begin(rows, columns);
        Complex[] expected = Complex.zeros(rows * columns);
        for (int part = 0; part < 2; part++) {
            MemorySegment a = Numbers.random(type, rows * depth, random);
            MemorySegment b = Numbers.random(type, depth * columns, random);
            MemorySegment ownB = product.allocate(b.byteSize() + 8).copyFrom(b);
            product.addProduct(a, aTransposed, ownB, bTransposed, depth); // one in the heap, one as it likes it
            for (int i = 0; i < rows; i++) {
                for (int j = 0; j < columns; j++) {
                    for (int k = 0; k < depth; k++) {
                        Complex x = Numbers.get(type, a, aTransposed ? k * rows + i : i * depth + k);
                        Complex y = Numbers.get(type, b, bTransposed ? j * depth + k : k * columns + j);
                        expected[i * columns + j] = expected[i * columns + j].plus(x.times(y));
                    }
                }
            }
        }
        compare(type, product, expected, rows, columns, random);
    }

    private static void compare(ElementType type, TileProduct product, Complex[] expected, int rows, int columns,
        Random random) {
        int pitch = columns + 2;
        MemorySegment c = Numbers.random(type, rows * pitch + 1, random);
        Complex[] old = Numbers.all(type, c);
        Complex alpha = new Complex(1.5, type.name().startsWith("COMPLEX") ? -0.5 : 0);
        Complex beta = new Complex(-0.25, type.name().startsWith("COMPLEX") ? 2 : 0);
        product.store(c, type.sizeInBytes(), (long) pitch * type.sizeInBytes(), Numbers.scale(type, alpha),
            Numbers.scale(type, beta));
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < pitch && 1 + i * pitch + j < old.length; j++) {
                int at = 1 + i * pitch + j;
                Complex want = j < columns ? alpha.times(expected[i * columns + j]).plus(beta.times(old[at])) : old[at];
                Numbers.assertClose(type, want, Numbers.get(type, c, at));
            }
        }
        Numbers.assertClose(type, old[0], Numbers.get(type, c, 0));
    }

    @Test
    void shouldNotReadTheTargetWhenBetaIsZero() {
        for (Blas blas : libraries()) {
            for (ElementType type : TYPES) {
                TileProduct product = TileProducts.of(type, 1, 1, 1, blas);
                MemorySegment nan = Numbers.segment(type, new Complex(Double.NaN, Double.NaN));
                product.begin(1, 1);
                product.addProduct(nan, false, nan, false, 1);
                product.begin(1, 1);
                product.store(nan, 0, type.sizeInBytes(), Scale.one(type), Numbers.scale(type, new Complex(0, 0)));
                assertEquals(new Complex(0, 0), Numbers.get(type, nan, 0));
            }
        }
    }

    /** A sum that overflows, and a target that has done so before. */
    @Test
    void shouldKeepInfinitiesWhenFactorsAreReal() {
        ElementType type = ElementType.COMPLEX_DOUBLE;
        MemorySegment large = Numbers.segment(type, new Complex(1e200, 0));
        MemorySegment target = Numbers.segment(type, new Complex(1, Double.NEGATIVE_INFINITY));
        TileProduct product = TileProducts.of(type, 1, 1, 1);
        product.begin(1, 1);
        product.addProduct(large, false, large, false, 1);
        product.store(target, 0, type.sizeInBytes(), Numbers.scale(type, new Complex(2, 0)),
            Numbers.scale(type, new Complex(3, 0)));
        assertEquals(new Complex(Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY), Numbers.get(type, target, 0));
    }

    @Test
    void shouldRefuseMoreThanItHasRoomFor() {
        for (Blas blas : libraries()) {
            try (TileProduct product = TileProducts.of(ElementType.DOUBLE, 8, 8, 8, blas)) {
                MemorySegment tile = product.allocate(16 * 16 * 8);
                assertThrows(IndexOutOfBoundsException.class, () -> {
                    product.begin(16, 8);
                    product.addProduct(tile, false, tile, false, 8);
                });
                product.begin(8, 8);
                assertThrows(IndexOutOfBoundsException.class, () -> product.addProduct(tile, false, tile, false, 16));
            }
        }
    }

    @Test
    void shouldBeZeroWhenNothingWasToAdd() {
        for (Blas blas : libraries()) {
            try (TileProduct product = TileProducts.of(ElementType.DOUBLE, 2, 2, 2, blas)) {
                MemorySegment one = Numbers.segment(ElementType.DOUBLE, new Complex(1, 0));
                product.begin(1, 1);
                product.addProduct(one, false, one, false, 1);
                product.begin(1, 1);
                product.addProduct(one, false, one, false, 0);
                product.store(one, 0, 8, Scale.one(ElementType.DOUBLE), Numbers.scale(ElementType.DOUBLE,
                    new Complex(0, 0)));
                assertEquals(new Complex(0, 0), Numbers.get(ElementType.DOUBLE, one, 0));
            }
        }
    }

    @Test
    void shouldTakeTheLibraryThatIsNamed() {
        assertNull(Blas.find("none"));
        String none = assertThrows(ConfigException.class, () -> Blas.find("/none/libblas.so")).getMessage();
        assertTrue(none.startsWith("tributary.blas=/none/libblas.so: ") && none.contains("libopenblas.so.0"), none);
        String other = assertThrows(ConfigException.class, () -> Blas.find("libm.so.6")).getMessage();
        assertTrue(other.startsWith("tributary.blas=libm.so.6: it has no cblas_dgemm; "), other);
        assumeTrue(Blas.find("auto") != null, "OpenBLAS is not installed");
        assertTrue(Blas.find("libopenblas.so.0").name().matches("OpenBLAS [0-9.]+"));
    }

    @Test
    void shouldRefuseIntegers() {
        assertThrows(IllegalArgumentException.class, () -> TileProducts.of(ElementType.LONG, 1, 1, 1));
    }
}
