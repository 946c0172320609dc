package org.tributary.globalarrays;

import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.tributary.globalarrays.distribution.Indices;
import org.tributary.globalarrays.distribution.Patch;
import org.tributary.globalarrays.kernel.Complex;
import org.tributary.globalarrays.kernel.Numbers;
import org.tributary.wire.shape.ElementType;

/** What an array must hold: all its elements in one place, as complex numbers. Every rank keeps one of its own. */
final class SerialModel {
    private final ElementType type;
    private final Patch whole;
    private final Complex[] elements;

    SerialModel(ElementType type, long... dims) {
        this.type = type;
        whole = Patch.whole(dims);
        elements = Complex.zeros(Math.toIntExact(whole.elementCount()));
    }

    /** Fills the model with numbers that follow from the seed, and the array too, rank by rank its own block. */
    static SerialModel filled(GlobalArray array, long seed) {
        SerialModel model = new SerialModel(array.type(), array.dims());
        MemorySegment numbers = Numbers.random(model.type, model.elements.length, new Random(seed));
        System.arraycopy(Numbers.all(model.type, numbers), 0, model.elements, 0, model.elements.length);
        Block own = array.access();
        Indices.forEach(own.patch(), index -> Numbers.set(model.type,
            own.segment().asSlice(own.offset(index), model.type.sizeInBytes()), 0, model.get(index)));
        array.barrier();
        return model;
    }

    Patch whole() {
        return whole;
    }

    Complex get(long... index) {
        return elements[Indices.position(whole, index)];
    }

    void set(Complex value, long... index) {
        elements[Indices.position(whole, index)] = value;
    }

    /** The elements of a patch as the array holds them, dense. */
    MemorySegment dense(Patch patch) {
        Complex[] values = new Complex[Math.toIntExact(patch.elementCount())];
        for (int k = 0; k < values.length; k++) {
            values[k] = get(Indices.at(patch, k));
        }
        return Numbers.segment(type, values);
    }

    /** Sets or adds dense elements. */
    void update(Patch patch, MemorySegment dense, Complex factor, boolean add) {
        for (int k = 0; k < patch.elementCount(); k++) {
            long[] index = Indices.at(patch, k);
            Complex value = factor.times(Numbers.get(type, dense, k));
            set(add ? get(index).plus(value) : value, index);
        }
    }

    /** Compares every element; numbers of the tests are exact in all types. */
    void verify(GlobalArray array) {
        MemorySegment actual = Numbers.random(type, elements.length, new Random(0));
        array.get(whole, LocalBuffer.of(actual));
        for (int k = 0; k < elements.length; k++) {
            Numbers.assertClose(type, elements[k], Numbers.get(type, actual, k));
        }
        array.barrier();
    }
}
