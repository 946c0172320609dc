package org.tributary.client.collective;

/** A block for each member in node-major order, divided by nodes. Mutable, to be reused. */
final class NodePartition implements Partition {
    private final Hierarchy hierarchy;
    private long blockBytes;

    NodePartition(Hierarchy hierarchy) {
        this.hierarchy = hierarchy;
    }

    NodePartition set(long blockBytes) {
        this.blockBytes = blockBytes;
        return this;
    }

    @Override
    public int parts() {
        return hierarchy.nodes();
    }

    @Override
    public long start(int part) {
        return hierarchy.firstOf(part) * blockBytes;
    }
}
