package org.tributary.globalarrays;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tributary.client.Gas;
import org.tributary.globalarrays.Matrices.Form;
import org.tributary.globalarrays.distribution.Indices;
import org.tributary.globalarrays.kernel.Complex;
import org.tributary.wire.shape.ElementType;

/** Products and transposition of distributed matrices, against their definition. */
class MatricesTest {
    private static final ElementType[] TYPES = {ElementType.FLOAT, ElementType.DOUBLE, ElementType.COMPLEX_FLOAT,
        ElementType.COMPLEX_DOUBLE};

    @ParameterizedTest
    @EnumSource
    void shouldMultiplyEveryFormAndType(JobShape job) {
        job.run(gas -> {
            for (ElementType type : TYPES) {
                for (Form a : Form.values()) {
                    for (Form b : Form.values()) {
                        multiply(gas, type, a, b, 13, 10, 17);
                    }
                }
            }
        });
    }

    /** Several tiles in each direction, so that prefetching and partial tiles occur. */
    @ParameterizedTest
    @EnumSource
    void shouldMultiplyMatricesOfSeveralTiles(JobShape job) {
        job.run(gas -> multiply(gas, ElementType.DOUBLE, Form.PLAIN, Form.TRANSPOSED, 1100, 3, 600));
    }

    private static void multiply(Gas gas, ElementType type, Form formA, Form formB, int rows, int columns, int depth) {
        boolean plainA = formA == Form.PLAIN;
        boolean plainB = formB == Form.PLAIN;
        GlobalArray a = GlobalArray.builder(gas, "A", type, plainA ? rows : depth, plainA ? depth : rows)
            .blocks(new long[] {0, 5}, new long[] {0}).create();
        GlobalArray b = GlobalArray.create(gas, "B", type, plainB ? depth : columns, plainB ? columns : depth);
        GlobalArray c = GlobalArray.builder(gas, "C", type, rows, columns).ghosts(1, 1).create();
        SerialModel modelA = SerialModel.filled(a, 1);
        SerialModel modelB = SerialModel.filled(b, 2);
        SerialModel modelC = SerialModel.filled(c, 3);
        boolean complex = type.sizeInBytes() > type.componentBytes();
        Scalar alpha = complex ? Scalar.of(0.5, 1) : Scalar.of(0.5);
        Scalar beta = complex ? Scalar.of(0, -2) : Scalar.of(-2);
        Matrices.multiply(alpha, formA, a, formB, b, beta, c);
        Indices.forEach(modelC.whole(), index -> {
            Complex sum = new Complex(0, 0);
            for (long k = 0; k < depth; k++) {
                Complex x = plainA ? modelA.get(index[0], k) : modelA.get(k, index[0]);
                Complex y = plainB ? modelB.get(k, index[1]) : modelB.get(index[1], k);
                sum = sum.plus(x.times(y));
            }
            modelC.set(new Complex(alpha.re(), alpha.im()).times(sum)
                .plus(new Complex(beta.re(), beta.im()).times(modelC.get(index))), index);
        });
        modelC.verify(c);
        modelA.verify(a);
        c.close();
        b.close();
        a.close();
    }

    @ParameterizedTest
    @EnumSource
    void shouldTransposeAndSymmetrize(JobShape job) {
        job.run(gas -> {
            for (ElementType type : ElementType.values()) {
                GlobalArray a = GlobalArray.create(gas, "A", type, 300, 7);
                GlobalArray t = GlobalArray.builder(gas, "T", type, 7, 300).ghosts(1, 0).create();
                SerialModel model = SerialModel.filled(a, 4);
                Matrices.transpose(a, t);
                SerialModel transposed = new SerialModel(type, 7, 300);
                Indices.forEach(transposed.whole(), index -> transposed.set(model.get(index[1], index[0]), index));
                transposed.verify(t);
                t.close();
                a.close();
            }
            symmetrize(gas);
        });
    }

    private static void symmetrize(Gas gas) {
        GlobalArray a = GlobalArray.create(gas, "A", ElementType.DOUBLE, 11, 11);
        SerialModel model = SerialModel.filled(a, 5);
        Matrices.symmetrize(a);
        SerialModel symmetric = new SerialModel(ElementType.DOUBLE, 11, 11);
        Indices.forEach(symmetric.whole(), index -> symmetric.set(model.get(index).plus(model.get(index[1], index[0]))
            .times(new Complex(0.5, 0)), index));
        symmetric.verify(a);
        a.close();
    }

    @ParameterizedTest
    @EnumSource(names = "TWO_NODES_OF_TWO")
    void shouldRefuseWhatDoesNotFit(JobShape job) {
        job.run(gas -> {
            GlobalArray a = GlobalArray.create(gas, "A", ElementType.DOUBLE, 4, 5);
            GlobalArray c = GlobalArray.create(gas, "C", ElementType.DOUBLE, 4, 4);
            String message = assertThrows(ArrayShapeException.class, () -> Matrices.multiply(a, a, c)).getMessage();
            assertTrue(message.contains("array 'C': 4 x 4 of type DOUBLE is not the shape of the product of array 'A'"),
                message);
            assertThrows(ArrayShapeException.class, () -> Matrices.multiply(c, c, c));
            assertThrows(ArrayShapeException.class, () -> Matrices.transpose(a, c));
            assertThrows(ArrayShapeException.class, () -> Matrices.transpose(c, c));
            assertThrows(ArrayShapeException.class, () -> Matrices.symmetrize(a));
            c.close();
            a.close();
        });
    }
}
