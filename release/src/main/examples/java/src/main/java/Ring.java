import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.wire.shape.ReduceOp;

public final class Ring {
    public static void main(String[] args) {
        try (Gas gas = Gas.attach()) {
            // 16 bytes at every rank: a greeting from the left, and a counter.
            GlobalMemory memory = gas.allocate(16);
            int right = (gas.rank() + 1) % gas.rankCount();
            memory.putLong(right, 0, gas.rank());   // one-sided: the right neighbour takes no part
            memory.fetchAndAdd(0, 8, 1);            // everybody counts at rank 0
            gas.barrier();                          // all of that has been executed
            long left = memory.getLong(gas.rank(), 0);
            System.out.println("rank " + gas.rank() + " on node " + gas.node() + " heard from rank " + left);
            long sum = gas.world().allreduce(ReduceOp.SUM, left);
            if (gas.rank() == 0) {
                System.out.println("sum " + sum + ", counted " + memory.getLong(0, 8));
            }
            memory.close();
        }
    }
}
