package org.tributary.wire;

import org.tributary.config.JobEnvironment;
import org.tributary.config.NetworkEncryption;
import org.tributary.config.Settings;

/** The membership of a process in a job: the job's name, its secret, and the items on which all agree. Immutable. */
public final class Membership {
    private final String jobId;
    private final byte[] secret;
    private final Agreement agreement;
    private final NetworkEncryption encryption;

    /** Of a process that knows all of it, in a job that is not encrypted. */
    public Membership(String jobId, byte[] secret, Agreement agreement) {
        this(jobId, secret, agreement, NetworkEncryption.NONE);
    }

    private Membership(String jobId, byte[] secret, Agreement agreement, NetworkEncryption encryption) {
        this.jobId = jobId;
        this.secret = secret.clone();
        this.agreement = agreement;
        this.encryption = encryption;
    }

    /** Of a server or rank. */
    public static Membership of(JobEnvironment job, Settings settings) {
        return new Membership(job.jobId(), job.secret(), Agreement.of(settings, job.topology()),
            settings.networkEncryption());
    }

    /**
     * The same of a process whose data a network adapter may move.
     *
     * @param adapter which one does, in words; not told where {@code network.fabric} leaves no place for one
     */
    public static Membership of(JobEnvironment job, Settings settings, String adapter) {
        Membership membership = of(job, settings);
        return settings.usesFabric(job.topology().nodeCount()) ? membership.withAdapter(adapter) : membership;
    }

    /** The same of a process of which it is also known which network adapter moves its data, in words. */
    public Membership withAdapter(String adapter) {
        return new Membership(jobId, secret, agreement.withAdapter(adapter), encryption);
    }

    String jobId() {
        return jobId;
    }

    /** Not a copy. */
    byte[] secret() {
        return secret;
    }

    /** How connections between nodes travel. */
    NetworkEncryption encryption() {
        return encryption;
    }

    Agreement agreement() {
        return agreement;
    }
}
