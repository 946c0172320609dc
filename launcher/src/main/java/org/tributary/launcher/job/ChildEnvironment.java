package org.tributary.launcher.job;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.tributary.config.JobVariables;
import org.tributary.config.Settings;

/** Replaces whatever the launcher's own environment says about Tributary by what holds for one server or rank. */
final class ChildEnvironment {
    private static final String LOOPBACK = "127.0.0.1";
    private static final String BIND_ADDRESS = "server.bind-address";

    private final Settings settings;
    private final boolean oneMachine;

    /** {@code oneMachine} says that all nodes of the job are on it. */
    ChildEnvironment(Settings settings, boolean oneMachine) {
        this.settings = settings;
        this.oneMachine = oneMachine;
    }

    void forRank(Map<String, String> environment, Map<String, String> user, Map<String, String> job) {
        clear(environment);
        UserLocale.restore(environment);
        environment.putAll(user);
        environment.putAll(settings.toEnvironment());
        environment.putAll(job);
    }

    /** Servers that share a machine listen on it alone, and count fixed ports up by their node. */
    void forServer(Map<String, String> environment, Map<String, String> job, int node, int loops) {
        clear(environment);
        UserLocale.passOn(environment);
        environment.putAll(serverSettings(node).withServerThreads(loops).toEnvironment());
        environment.putAll(job);
    }

    Settings serverSettings(int node) {
        if (!oneMachine) {
            return settings;
        }
        boolean isDefault = settings.serverInterface().isEmpty() && settings.describe().stream()
            .anyMatch(entry -> entry.key().equals(BIND_ADDRESS) && entry.source().equals("default"));
        Settings counted = settings.countedUp(node);
        return isDefault ? Settings.builder().environment(counted.toEnvironment()).set(BIND_ADDRESS, LOOPBACK).build()
            : counted;
    }

    private static void clear(Map<String, String> environment) {
        Set<String> stale = new TreeSet<>(Settings.variables());
        stale.addAll(JobVariables.describe().keySet());
        stale.addAll(List.of("OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID", "SLURM_NODEID"));
        environment.keySet().removeAll(stale);
    }
}
