package org.tributary.launcher.node;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.Security;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * Looks names up, all at a time and not for ever: while no name server answers, the C library asks for a name for 20 s
 * and more, and the JDK cannot end that. A name without an answer has no addresses, as one that only ssh knows.
 */
public final class NameLookup {
    /** Time enough for the second name server of a host whose first is silent, and less than a start may take. */
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(8);
    /** Instead of an answer. */
    public static final String NO_ANSWER = "no name server answers";
    /** {@code EAI_AGAIN} in words of the C library: the JDK tells it apart in no other way. */
    private static final String TEMPORARY = "Temporary failure in name resolution";

    static {
        // Otherwise the JDK knows for 10 s that a name had no address, and no longer why.
        Security.setProperty("networkaddress.cache.negative.ttl", "0");
    }

    /** The addresses of one name. */
    interface Resolver {
        InetAddress[] resolve(String name) throws UnknownHostException;
    }

    /**
     * What became of a name.
     *
     * @param addresses  none if it is not known
     * @param isAnswered whether somebody knows that
     */
    public record Answer(List<InetAddress> addresses, boolean isAnswered) {
        private static final Answer NONE = new Answer(List.of(), false);

        public Answer {
            addresses = List.copyOf(addresses);
        }
    }

    private final long limitNs;
    private final Resolver resolver;

    /** By the machine's own resolver; at most for 8 s, however many names there are. */
    public NameLookup() {
        this(LIMIT_NS, InetAddress::getAllByName);
    }

    NameLookup(long limitNs, Resolver resolver) {
        this.limitNs = limitNs;
        this.resolver = resolver;
    }

    /** The addresses of names, in the order of the names; those of names that are not known are left out. */
    Stream<InetAddress> addresses(List<String> names) {
        return answers(names).stream().flatMap(answer -> answer.addresses().stream());
    }

    /** In the order of the names. */
    public List<Answer> answers(List<String> names) {
        long endNs = System.nanoTime() + limitNs;
        List<FutureTask<InetAddress[]>> lookups = names.stream().map(this::begin).toList();
        return lookups.stream().map(lookup -> answer(lookup, endNs)).toList();
    }

    private static Answer answer(FutureTask<InetAddress[]> lookup, long endNs) {
        try {
            return new Answer(List.of(lookup.get(endNs - System.nanoTime(), TimeUnit.NANOSECONDS)), true);
        } catch (ExecutionException e) {
            return new Answer(List.of(), !e.getCause().toString().contains(TEMPORARY));
        } catch (TimeoutException e) {
            return Answer.NONE;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Answer.NONE;
        }
    }

    /**
     * The first address of a name, or of an address in words.
     *
     * @throws UnknownHostException when it has none
     * @throws IOException          when nobody answers, which it says
     */
    InetAddress address(String name) throws IOException {
        Answer answer = answers(List.of(name)).getFirst();
        if (!answer.isAnswered()) {
            throw new IOException(NO_ANSWER);
        }
        return answer.addresses().stream().findFirst().orElseThrow(() -> new UnknownHostException(name));
    }

    private FutureTask<InetAddress[]> begin(String name) {
        FutureTask<InetAddress[]> lookup = new FutureTask<>(() -> resolver.resolve(name));
        Thread.ofPlatform().daemon().name("lookup of " + name).start(lookup);
        return lookup;
    }
}
