package org.tributary.client.segment;

/** Bytes of each member's part of an allocation; one number when all are alike. Immutable. */
public record PartSizes(long uniform, long[] each) {
    public static PartSizes uniform(long bytes) {
        return new PartSizes(bytes, null);
    }

    public static PartSizes of(long[] bytes) {
        for (long size : bytes) {
            if (size != bytes[0]) {
                return new PartSizes(0, bytes.clone());
            }
        }
        return uniform(bytes[0]);
    }

    long of(int member) {
        return each == null ? uniform : each[member];
    }
}
