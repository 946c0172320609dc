package org.tributary.wire.socket;

import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;

/** Reasons why a process cannot listen at an address, each with advice. */
public enum BindFailure {
    IN_USE("another process listens there: end it, perhaps the server of another job, or set %2$s to another port;"
        + " 0 takes a free one", "error(-98)", "Address already in use"),
    NOT_OURS("no interface of this machine has the address (ip addr lists them): correct %1$s", "error(-99)",
        "Cannot assign requested address"),
    PRIVILEGED("this user may not listen there: set %2$s to a port from 1024 on", "error(-13)", "Permission denied"),
    UNKNOWN_NAME("the name has no address: correct %1$s", UnresolvedAddressException.class.getSimpleName(),
        UnknownHostException.class.getSimpleName()),
    OTHER("see %1$s and %2$s", "");

    private final String advice;
    private final String[] words;

    BindFailure(String advice, String... words) {
        this.advice = advice;
        this.words = words;
    }

    /**
     * The whole of it in a line: where, why, and what to do.
     *
     * @param addressKey the setting that {@code address} comes from
     * @param portKey    the setting that {@code port} comes from
     */
    public static String describe(String address, String addressKey, int port, String portKey, Throwable failure) {
        BindFailure kind = of(failure);
        return "cannot listen at " + address + " (" + addressKey + ") port " + port + " (" + portKey + "): "
            + (failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage()) + "; "
            + String.format(kind.advice, addressKey, portKey);
    }

    private static BindFailure of(Throwable failure) {
        String said = failure.toString();
        for (BindFailure kind : values()) {
            for (String word : kind.words) {
                if (said.contains(word)) {
                    return kind;
                }
            }
        }
        return OTHER;
    }
}
