/**
 * All connections of a rank to communication servers: which one a request takes, how it is opened and left, how threads
 * wait. The thread that issues a request writes it into the connection's buffer; the threads that wait read answers.
 * Apart from payload that was left for later, no other thread does I/O for a request.
 *
 * <p>One lock, {@link org.tributary.client.link.Links#lock()}, guards connections and all their state.
 *
 * <table>
 * <caption>Who calls under which lock</caption>
 * <tr><th>what</th><th>threads</th><th>lock</th></tr>
 * <tr><td>{@link org.tributary.client.link.Links#connectTo(int) connectTo}</td><td>the program's</td>
 *     <td>held once: it is given away while a connection is opened. A thread that holds it twice is in the middle of an
 *     operation and gets only connections that exist</td></tr>
 * <tr><td>{@link org.tributary.client.connection.ServerLink},
 *     {@link org.tributary.client.connection.RequestWriter}, and a connection's buffers, ledger and replies</td>
 *     <td>the program's</td><td>held from {@code connectTo} until the request is whole, so that no other gets
 *     between its bytes</td></tr>
 * <tr><td>{@link org.tributary.client.link.WaitLoop#await await}</td><td>the program's</td>
 *     <td>not held: each look takes it, and one thread at a time sleeps in the kernel without it</td></tr>
 * <tr><td>{@link org.tributary.client.connection.Callback},
 *     {@link org.tributary.client.connection.Awaited#isDone isDone}</td>
 *     <td>any that reads, or sends what was left for later</td><td>held: they take no other lock, do no I/O and do not
 *     wait</td></tr>
 * <tr><td>{@link org.tributary.client.link.NetworkAdapter NetworkAdapter}</td><td>any that waits</td>
 *     <td>held: a request waits until what it moves has ended at the request's node</td></tr>
 * <tr><td>{@code DeferredSender}</td><td>its own, which never reads</td><td>taken for one piece of payload, only when
 *     no thread has it or wants it</td></tr>
 * <tr><td>{@link org.tributary.client.link.Lifeline}</td><td>its own, which sleeps until the job fails</td>
 *     <td>never taken: a failure is a word, and wakes waiting threads</td></tr>
 * <tr><td>{@link org.tributary.client.link.JobFailure}, {@link org.tributary.client.link.Calls},
 *     {@link org.tributary.client.link.WaitLoop#wakeUp wakeUp}, closing a transport</td><td>any</td><td>none</td></tr>
 * <tr><td>{@link org.tributary.client.link.Farewell}</td><td>the one that closes, or that ends the process</td>
 *     <td>taken with a time-out: a thread that is stuck with it does not keep the rank from leaving</td></tr>
 * </table>
 *
 * <p>The lock is never held while a thread sleeps until an answer comes or a connection is opened. Four waits keep it:
 * for room in a socket or a channel of the network adapter, 20 microseconds at a time, because half a request is on its
 * way; until what was written to a channel has arrived, because nobody makes its progress later; for the reason of a
 * connection's break, a second or two, because the job ends; and for the end of a connection that says goodbye, or
 * leaves its channel to do so, at most {@code attach.timeout}. The first two end with the job, or when the server is
 * gone; and when it takes nothing for 5 s, once the process ends.
 */
package org.tributary.client.link;
