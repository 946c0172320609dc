package org.tributary.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NearestTest {
    @Test
    void shouldFindMeantNameWhenMistyped() {
        assertEquals(Optional.of("jacobi"), Nearest.of("jakobi", List.of("matmul", "jacobi", "random-access")));
        assertEquals(Optional.of("matmul"), Nearest.of("MATMLU", List.of("matmul", "jacobi")));
        assertEquals(Optional.empty(), Nearest.of("x", List.of()));
    }

    @Test
    void shouldCountOneWhenNeighboursSwapped() {
        assertEquals(1, Nearest.distance("wait.spni", "wait.spin"));
        assertEquals(3, Nearest.distance("kitten", "sitting"));
        assertEquals(4, Nearest.distance("", "spin"));
    }
}
