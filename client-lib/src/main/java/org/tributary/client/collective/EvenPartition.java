package org.tributary.client.collective;

/** Elements divided into parts that differ by one element at most. Mutable, to be reused. */
final class EvenPartition implements Partition {
    private final int parts;
    private long quotient;
    private long remainder;
    private int elementBytes;

    EvenPartition(int parts) {
        this.parts = parts;
    }

    EvenPartition set(long elements, int elementBytes) {
        quotient = elements / parts;
        remainder = elements % parts;
        this.elementBytes = elementBytes;
        return this;
    }

    @Override
    public int parts() {
        return parts;
    }

    @Override
    public long start(int part) {
        return (part * quotient + Math.min(part, remainder)) * elementBytes;
    }
}
