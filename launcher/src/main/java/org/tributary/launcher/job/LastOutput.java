package org.tributary.launcher.job;

/** What has become of the last output of a job. */
public enum LastOutput {
    /** All of it. */
    WRITTEN,
    /** Its reader has not taken all of it before somebody wanted the end, or before its time was over. */
    DROPPED,
    /** Some hosts have not ended; what has come from them is written. */
    HOSTS_GIVEN_UP,
    /** Some has not come, or could not be written, which has been said. */
    MISSING;

    /** The same, unless some of it could not be written. */
    public LastOutput unless(boolean isLost) {
        return isLost && this == WRITTEN ? MISSING : this;
    }
}
