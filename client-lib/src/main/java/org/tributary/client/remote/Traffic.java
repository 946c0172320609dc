package org.tributary.client.remote;

/**
 * Messages between a rank and servers since it has attached.
 *
 * @param requests messages to servers, one for each frame
 * @param answers  messages from servers
 */
public record Traffic(long requests, long answers) {
    /** Messages since an earlier look. */
    public Traffic since(Traffic earlier) {
        return new Traffic(requests - earlier.requests, answers - earlier.answers);
    }
}
