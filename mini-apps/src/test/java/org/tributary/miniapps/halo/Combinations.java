package org.tributary.miniapps.halo;

import java.util.ArrayList;
import java.util.List;
import org.tributary.miniapps.exchange.Design;
import org.tributary.miniapps.exchange.Synchronization;

/** Every synchronization in every design. */
final class Combinations {
    private Combinations() {
    }

    /** Arguments for each combination, and others that are always the same. */
    static List<List<String>> with(String... others) {
        List<List<String>> all = new ArrayList<>();
        for (Synchronization synchronization : Synchronization.values()) {
            for (Design design : synchronization.designs()) {
                List<String> arguments = new ArrayList<>(List.of("--sync", synchronization.toString(), "--design",
                    design.toString()));
                arguments.addAll(List.of(others));
                all.add(arguments);
            }
        }
        return all;
    }
}
