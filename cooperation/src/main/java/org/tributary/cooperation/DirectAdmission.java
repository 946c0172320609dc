package org.tributary.cooperation;

/**
 * How many direct connections a server admits: none while it is contended. Then it asks the ranks that have one to take
 * the route, so that members of its group gather their requests. A server is contended when turns of its event loop, on
 * the average of late, bring requests from several connections at once. All connections count, not only the direct
 * ones: else it would cease to be contended as soon as these are gone.
 */
public final class DirectAdmission {
    /** Sources in one turn on the average, from which on forwarding relieves the server. */
    private static final int CONTENDED = 4;
    private static final int FRACTION_BITS = 8;
    private static final int WEIGHT_BITS = 4;

    private final int limit;
    private int admitted;
    /** The average, with more bits than are asked for: a part of a step that is rounded off is not lost. */
    private int weightedSources;

    public DirectAdmission(CooperationOptions options) {
        limit = options.serverConnections();
    }

    /** Whether one more may come; it counts as come. */
    public boolean admit() {
        if (admitted == limit || isContended()) {
            return false;
        }
        admitted++;
        return true;
    }

    /** One that was admitted has closed. */
    public void closed() {
        admitted--;
    }

    /** A turn of the event loop has brought requests to execute here from so many connections; not called for none. */
    public void turn(int sourcesInTurn) {
        weightedSources += (sourcesInTurn << FRACTION_BITS) - (weightedSources >> WEIGHT_BITS);
    }

    /** Whether direct connections should go. */
    public boolean isContended() {
        return weightedSources >> WEIGHT_BITS >= CONTENDED << FRACTION_BITS;
    }

    /** How many are admitted now. */
    public int admitted() {
        return admitted;
    }
}
