package org.tributary.client.connection;

/**
 * The connections of a rank that somebody has to do something about.
 *
 * @param unflushed with requests that are not with the kernel, deferred payload included
 * @param deferred  with payload that can be sent later
 * @param awaiting  from which answers are due
 * @param unsettled with requests that are not known to be executed, or with a failure to throw
 */
public record LinkSets<L>(LinkSet<L> unflushed, LinkSet<L> deferred, LinkSet<L> awaiting, LinkSet<L> unsettled) {
    /** Empty ones. */
    public LinkSets() {
        this(new LinkSet<>(), new LinkSet<>(), new LinkSet<>(), new LinkSet<>());
    }
}
