import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.testing.Ranks;
import org.tributary.wire.shape.ReduceOp;

class SumTest {
    @ParameterizedTest
    @ValueSource(strings = {"3", "2,1"})
    void shouldAddUpWhereverRanksAre(String layout) throws Exception {
        Ranks.of(layout).run(gas -> assertEquals(3, gas.world().allreduce(ReduceOp.SUM, (long) gas.rank())));
    }
}
