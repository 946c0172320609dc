package org.tributary.client;

/** Bytes of each member's part of an allocation; one number when all are alike. Immutable. */
record PartSizes(long uniform, long[] each) {
    static PartSizes uniform(long bytes) {
        return new PartSizes(bytes, null);
    }

    static PartSizes of(long[] bytes) {
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
