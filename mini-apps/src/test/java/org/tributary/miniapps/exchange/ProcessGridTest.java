package org.tributary.miniapps.exchange;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashSet;
import java.util.Set;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProcessGridTest {
    @ParameterizedTest
    @CsvSource({"1, 2, 1 x 1", "2, 2, 2 x 1", "7, 2, 7 x 1", "12, 2, 4 x 3", "16, 2, 4 x 4", "18, 2, 6 x 3",
        "1, 3, 1 x 1 x 1", "8, 3, 2 x 2 x 2", "12, 3, 3 x 2 x 2", "30, 3, 5 x 3 x 2", "1000000, 3, 100 x 100 x 100"})
    void shouldFactorizeEvenly(int ranks, int dimensions, String expected) {
        assertEquals(expected, ProcessGrid.of(ranks, dimensions).toString());
    }

    @Test
    void shouldGoAroundTheEnds() {
        ProcessGrid grid = ProcessGrid.of(12, 2);
        assertArrayEquals(new int[] {3, 1}, grid.coordinates(10));
        assertEquals(1, grid.neighbour(10, 1, 0));
        assertEquals(9, grid.neighbour(10, 0, -1));
        assertEquals(2, grid.neighbour(10, 1, 1));
        assertEquals(11, grid.neighbour(9, 0, -4));
    }

    @ParameterizedTest
    @CsvSource({"2, 4, 8", "3, 6, 26"})
    void shouldFindEveryNeighbourOnceWhenTheGridIsLarge(int dimensions, int faces, int all) {
        ProcessGrid grid = ProcessGrid.of((int) Math.pow(4, dimensions), dimensions);
        assertEquals(faces, distinct(Neighbourhood.faces(grid, 5)).size());
        assertEquals(all, distinct(Neighbourhood.all(grid, 5)).size());
    }

    private static Set<Integer> distinct(Neighbourhood neighbourhood) {
        Set<Integer> ranks = new HashSet<>();
        for (int direction = 0; direction < neighbourhood.count(); direction++) {
            ranks.add(neighbourhood.rank(direction));
        }
        assertEquals(ranks.size(), neighbourhood.distinctRanks().length);
        return ranks;
    }

    /** Every size and shape, so also grids in which a rank is its own neighbour, or one in several directions. */
    @Test
    void shouldLeadBackWhenTheDirectionIsTheOpposite() {
        for (int dimensions = 2; dimensions <= 3; dimensions++) {
            for (int ranks = 1; ranks <= 12; ranks++) {
                ProcessGrid grid = ProcessGrid.of(ranks, dimensions);
                for (int rank = 0; rank < ranks; rank++) {
                    checkOpposites(Neighbourhood.faces(grid, rank), other -> Neighbourhood.faces(grid, other));
                    checkOpposites(Neighbourhood.all(grid, rank), other -> Neighbourhood.all(grid, other));
                }
            }
        }
    }

    private static void checkOpposites(Neighbourhood own, IntFunction<Neighbourhood> of) {
        int directions = 0;
        for (int direction = 0; direction < own.count(); direction++) {
            int opposite = own.opposite(direction);
            for (int d = 0; d < own.grid().dimensions(); d++) {
                assertEquals(-own.offset(direction)[d], own.offset(opposite)[d]);
            }
            assertEquals(own.self(), of.apply(own.rank(direction)).rank(opposite));
        }
        for (int other : own.distinctRanks()) {
            directions += own.directionsTo(other).length;
        }
        assertEquals(own.count(), directions);
    }
}
