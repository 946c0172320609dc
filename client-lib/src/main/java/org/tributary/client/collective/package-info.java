/**
 * Collectives of a group, built from one primitive: a stream of chunks from one member into another's {@linkplain
 * org.tributary.client.collective.Inboxes inbox}. Nothing here knows shared memory from messages, nor does any input
 * or output of its own.
 *
 * <h2>Why no chunk is overwritten before it was consumed</h2>
 *
 * Collectives of a group are numbered by a sequence s, the same on all members; a slot is (round, parity of s, parity
 * of the chunk). Three rules hold in every algorithm here, for every group size, node map and data size, zero
 * included:
 * <ol>
 * <li><em>One stream a slot:</em> in one collective at most one stream is sent into a (member, round), and at most one
 *     by a (member, round); only acknowledgements of that one come back. So a slot or an acknowledgement word has one
 *     writer a collective.
 * <li><em>All that is sent is awaited:</em> a member to which a flag or an acknowledgement is sent waits for it before
 *     it leaves that collective. Hence streams of no bytes send and await one empty chunk, and acknowledgements for
 *     which no member would wait are not sent. So nothing of a collective is under way to a member that has left it: a
 *     word has the values of one collective after those of another, even though their writers differ and their messages
 *     might overtake each other.
 * <li><em>Every collective synchronizes:</em> no member leaves s before all have entered s. In allreduce,
 *     reduce-scatter, allgather and all-to-all a member's result needs data of every member, and rule 2 makes it wait
 *     for that data even if it is empty; a broadcast gathers signals to the root before it sends data; a reduce ends
 *     with signals from the root; a part of a large all-to-all ends with a barrier.
 * </ol>
 * Take a member X that writes one of the first two chunks of a stream in s into a slot of Y. The slot was last used
 * in s - 2 or before (parity). X has left s - 1, so Y has entered s - 1 (rule 3), so Y has left s - 2 and consumed
 * what was there (rule 2). Later chunks of the stream wait for the acknowledgement of the chunk two before, which lay
 * in the same slot. A member is never two collectives ahead of another, so two parities are enough.
 *
 * <p>Nothing deadlocks: members go through the rounds of a collective in one order, and where a step waits for
 * another member, it waits for an earlier step (see {@code Transfers.exchange}) or, in trees, for a member further
 * down (up) or further up (down).
 *
 * <h2>Calls that do not match</h2>
 *
 * All of this supposes that members make the same calls. A flag is the {@linkplain
 * org.tributary.client.collective.Call#key() key} of its call, of which kind, purpose, operation, type, root, size and
 * number are part, plus the number of its chunk, and is awaited exactly. So no member consumes data of another call,
 * and by rule 3 no member leaves a call that not all members have made: if one call differs, all members wait. A member
 * that has waited long reads the calls of others, names both calls and ends the job ({@link
 * org.tributary.client.collective.Mismatch}). Members in another collective of <em>another</em> group do not concern
 * this group.
 *
 * <h2>Rounds</h2>
 *
 * With a the members of the largest node and m the number of nodes, rounds {@code [0, log2 a)} belong to the edges of
 * trees within nodes, those after to leaders: {@code log2 m} for a tree or a barrier, {@code 1 + log2 m} for
 * recursive doubling with its fold, {@code 2 log2 m} for reduce-scatter with allgather (logarithms rounded up). Over
 * all node maps of n members that is at most {@code 3 log2 n - 1}, which is what {@link
 * org.tributary.wire.shm.CollectiveLayout#rounds} gives.
 *
 * <p>Thread: the one that calls {@link org.tributary.client.collective.Collectives}; no class here is thread-safe
 * except the immutable ones.
 */
package org.tributary.client.collective;
