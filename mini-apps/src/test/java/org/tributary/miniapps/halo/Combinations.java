package org.tributary.miniapps.halo;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;
import org.tributary.miniapps.JobShape;
import org.tributary.miniapps.exchange.Design;
import org.tributary.miniapps.exchange.Synchronization;

/** Every synchronization in every design on every shape of job. */
final class Combinations {
    private Combinations() {
    }

    static Stream<Arguments> all() {
        List<Arguments> all = new ArrayList<>();
        for (JobShape job : JobShape.values()) {
            for (Synchronization synchronization : Synchronization.values()) {
                for (Design design : synchronization.designs()) {
                    all.add(Arguments.of(job, synchronization.toString(), design.toString()));
                }
            }
        }
        return all.stream();
    }
}
