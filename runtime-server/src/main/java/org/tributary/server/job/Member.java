package org.tributary.server.job;

import io.netty.channel.ChannelHandlerContext;
import org.tributary.wire.codec.Role;

/** A connection of a rank or server of the job. Owned by the event loop. */
public interface Member {
    ChannelHandlerContext context();

    Role role();

    /** Of a server, the number of its node. */
    int rank();

    long pid();

    boolean isOfServer();

    /** Whether this is the connection of a rank of another node. */
    boolean isOfRemoteRank();

    boolean isAdmitted();

    /** The other side has said goodbye: the connection may close. */
    void markLeft();

    boolean hasLeft();

    /** Why the connection has broken: its host, or null. */
    String problem();
}
