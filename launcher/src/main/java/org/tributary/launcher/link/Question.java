package org.tributary.launcher.link;


/**
 * Questions to the agent of a host, most of them about a node; texts are those of
 * {@link org.tributary.wire.status.NodeText}.
 */
public enum Question {
    /** Which jobs of the user have which nodes on its host; not of the agent of a job, see {@code Onlooker}. */
    JOBS,
    /** How it is. Nothing is said with the question. */
    STATUS,
    /** State of objects that ranks wait for, which the question names. */
    DETAILS,
    /**
     * How it is, what it has counted, and what it knows of objects that the question names, which is an
     * {@link org.tributary.launcher.step.Asked}: a {@link org.tributary.wire.status.NodeSnapshot}, or of a large job a
     * {@link org.tributary.launcher.step.Digest}, in base 64. An agent of a large job answers for those behind it, too.
     */
    SNAPSHOT,
    /** Where the threads of its ranks are; see {@link StackText}. */
    STACKS,
    /** Time of its clock; see {@code ClockProbe}. */
    CLOCK
}
