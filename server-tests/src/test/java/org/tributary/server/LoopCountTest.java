package org.tributary.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.config.CooperationMode;
import org.tributary.config.Settings;
import org.tributary.server.LoopCount.Room;

class LoopCountTest {
    private static final Settings AUTOMATIC = Settings.defaults();
    private static final Room LARGE = new Room(128, 64, 1, () -> 200_000);

    @ParameterizedTest
    @CsvSource({"1, 1", "8, 1", "9, 2", "16, 2", "17, 3", "32, 4", "57, 8", "64, 8", "128, 8", "1000, 8"})
    void shouldGrowWithCoresWhenNothingElseIsShort(int cores, int loops) {
        assertEquals(loops, automatic(new Room(cores, 1, 1, () -> 0)));
    }

    @ParameterizedTest
    @CsvSource({"128, 1", "256, 1", "127, 1", "126, 2", "124, 4", "120, 8", "1, 8"})
    void shouldLeaveCoresToRanksWhenTheseHaveAlmostAll(int ranks, int loops) {
        assertEquals(loops, automatic(new Room(128, ranks, 1, () -> 0)));
    }

    @ParameterizedTest
    @CsvSource({"1, 8", "2, 8", "4, 4", "5, 3", "9, 1", "64, 1", "1000, 1"})
    void shouldShareTheMachineWhenItHasSeveralServers(int servers, int loops) {
        assertEquals(loops, automatic(new Room(128, servers, servers, () -> 0)));
    }

    @ParameterizedTest
    @CsvSource({"100, 1", "10000, 1", "25000, 1", "40000, 2", "50000, 2", "100000, 4", "200000, 8", "400000, 8"})
    void shouldHaveNoMoreThanTheNetworkFeedsWhenItsSpeedIsKnown(long mbit, int loops) {
        assertEquals(loops, automatic(new Room(128, 64, 1, () -> mbit)));
    }

    @Test
    void shouldNotAskForTheSpeedWhenThereIsOneLoopAnyhow() {
        LongSupplier nobodyKnows = () -> {
            throw new AssertionError("asked");
        };
        assertEquals(1, automatic(new Room(8, 1, 1, nobodyKnows)));
        assertEquals(5, LoopCount.of(Settings.builder().set("server.threads=5").build(), CooperationMode.NONE, 2,
            new Room(128, 1, 1, nobodyKnows)));
    }

    @Test
    void shouldSayWhatDecidesWhenAsked() {
        assertEquals("2: 16 cores, one loop for each 8; a network of 200000 Mbit/s feeds them",
            reason(new Room(16, 1, 1, () -> 200_000)));
        assertEquals("1: 16 cores, one loop for each 8, of which ranks leave 0", reason(new Room(16, 16, 1, () -> 0)));
        assertEquals("4: 128 cores, one loop for each 8, for 4 servers; the speed of the network is not known",
            reason(new Room(128, 4, 4, () -> 0)));
        assertEquals("2: a network of 40000 Mbit/s, one loop for each 25000",
            reason(new Room(128, 4, 1, () -> 40_000)));
        assertEquals("1: one node", LoopCount.choose(AUTOMATIC, CooperationMode.NONE, 1, LARGE).toString());
    }

    private static String reason(Room room) {
        return LoopCount.choose(AUTOMATIC, CooperationMode.NONE, 2, room).toString();
    }

    @Test
    void shouldBeWhatIsSetWhenSomethingIs() {
        Settings five = Settings.builder().set("server.threads=5").build();
        assertEquals(5, LoopCount.of(five, CooperationMode.NONE, 2, new Room(1, 1, 1, () -> 10)));
        assertFalse(LoopCount.isAutomatic(five, CooperationMode.NONE, 2));
        assertTrue(LoopCount.isAutomatic(AUTOMATIC, CooperationMode.NONE, 2));
    }

    @Test
    void shouldBeOneWhenOthersWouldHaveNoConnections() {
        Settings channels = Settings.builder().set("fabric.channels=1").build();
        Settings five = Settings.builder().set("server.threads=5").build();
        for (Settings settings : new Settings[] {AUTOMATIC, five}) {
            assertEquals(1, LoopCount.of(settings, CooperationMode.FORWARD, 2, LARGE));
            assertEquals(1, LoopCount.of(settings, CooperationMode.NONE, 1, LARGE));
        }
        assertEquals(1, LoopCount.of(channels, CooperationMode.NONE, 2, LARGE));
        assertFalse(LoopCount.isAutomatic(channels, CooperationMode.NONE, 2));
        assertFalse(LoopCount.isAutomatic(AUTOMATIC, CooperationMode.NONE, 1));
    }

    private static int automatic(Room room) {
        return LoopCount.of(AUTOMATIC, CooperationMode.NONE, 2, room);
    }
}
