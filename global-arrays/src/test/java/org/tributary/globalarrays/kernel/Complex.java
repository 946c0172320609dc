package org.tributary.globalarrays.kernel;

import java.util.Arrays;

/** A complex number of the serial models. */
public record Complex(double re, double im) {
    /** Sum. */
    public Complex plus(Complex other) {
        return new Complex(re + other.re, im + other.im);
    }

    /** Product. */
    public Complex times(Complex other) {
        return new Complex(re * other.re - im * other.im, re * other.im + im * other.re);
    }

    /** That many zeros. */
    public static Complex[] zeros(int count) {
        Complex[] zeros = new Complex[count];
        Arrays.fill(zeros, new Complex(0, 0));
        return zeros;
    }
}
