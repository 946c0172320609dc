package org.tributary.launcher.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class NameLookupTest {
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(250);

    private final CountDownLatch never = new CountDownLatch(1);

    private static InetAddress[] numbered(String name) throws UnknownHostException {
        if (name.equals("unknown")) {
            throw new UnknownHostException(name);
        }
        return new InetAddress[] {InetAddress.getByName("10.0.0." + name), InetAddress.getByName("10.0.1." + name)};
    }

    private static List<String> found(NameLookup lookup, String... names) {
        return lookup.addresses(List.of(names)).map(InetAddress::getHostAddress).toList();
    }

    @Test
    void shouldGiveAllAddressesInOrderWhenSomeNamesAreUnknown() {
        assertEquals(List.of("10.0.0.2", "10.0.1.2", "10.0.0.1", "10.0.1.1"),
            found(new NameLookup(LONG_NS, NameLookupTest::numbered), "2", "unknown", "1"));
    }

    /** A lookup that does not end must not keep the next name from its answer, nor the caller. */
    @Test
    void shouldLeaveOutANameWhenItsServerDoesNotAnswer() {
        NameLookup lookup = new NameLookup(TimeUnit.SECONDS.toNanos(1), name -> {
            if (name.equals("silent")) {
                await(never);
            }
            return numbered(name);
        });
        assertEquals(List.of(), found(lookup, "silent"));
        assertEquals(List.of(), found(lookup));
    }

    @Test
    void shouldAskForAllNamesAtATimeWhenThereAreSeveral() {
        CountDownLatch asked = new CountDownLatch(3);
        NameLookup lookup = new NameLookup(LONG_NS, name -> {
            asked.countDown();
            await(asked);
            return numbered(name);
        });
        assertEquals(6, found(lookup, "1", "2", "3").size());
    }

    /** As the JDK tells that a server has not answered, or cannot be reached. */
    @Test
    void shouldTellApartWhatNobodyKnowsAndWhatNobodyAnswers() throws Exception {
        NameLookup lookup = new NameLookup(LONG_NS, name -> {
            if (name.equals("again")) {
                throw new UnknownHostException("again: Temporary failure in name resolution");
            }
            return numbered(name);
        });
        assertEquals(List.of(true, true, false), lookup.answers(List.of("1", "unknown", "again"))
            .stream().map(NameLookup.Answer::isAnswered).toList());
        NameLookup silent = new NameLookup(TimeUnit.MILLISECONDS.toNanos(100), name -> {
            await(never);
            return numbered(name);
        });
        assertFalse(silent.answers(List.of("1")).getFirst().isAnswered());
        assertEquals("10.0.0.1", lookup.address("1").getHostAddress());
        assertThrows(UnknownHostException.class, () -> lookup.address("unknown"));
        assertEquals(NameLookup.NO_ANSWER, assertThrows(IOException.class, () -> lookup.address("again")).getMessage());
    }

    @Test
    void shouldAskTheMachineWhenNothingElseIsGiven() {
        assertEquals(List.of("127.0.0.1"), found(new NameLookup(), "127.0.0.1"));
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
