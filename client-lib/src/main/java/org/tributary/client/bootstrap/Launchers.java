package org.tributary.client.bootstrap;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.tributary.client.error.AttachException;
import org.tributary.config.ConfigException;
import org.tributary.config.JobVariables;
import org.tributary.config.Settings;

/** Finds what has launched this process. A process has one connection to its process manager, whatever attaches. */
public final class Launchers {
    /** One of these describes a job: of {@code tributary run} or a job script. */
    private static final List<String> DESCRIBING = List.of(JobVariables.JOB_ID, JobVariables.SECRET,
        JobVariables.LAYOUT, JobVariables.RANK, JobVariables.SERVERS, JobVariables.SERVERS_FILE,
        JobVariables.SUPERVISED);
    /** How many processes a launcher has started, where it says so. */
    private static final List<String> SIZES = List.of("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS");

    private static Exchange ofProcess;

    private Launchers() {
    }

    /** Whether variables describe a job and this process's place in it, perhaps incompletely. */
    public static boolean isDescribed(Map<String, String> environment) {
        return DESCRIBING.stream().anyMatch(variable -> isSet(environment, variable));
    }

    /**
     * Makes a job of the ranks that were launched with this one; of this one alone when nobody has launched it.
     *
     * @throws AttachException on every rank when that is not possible, or settings of one are wrong
     * @throws ConfigException when settings are wrong, and there is no other rank to be told
     */
    public static Launched makeJob(Map<String, String> environment) {
        AtomicReference<Settings> settings = new AtomicReference<>();
        String problem = "";
        try {
            Settings.builder().environment(environment).build(settings::set);
        } catch (ConfigException e) {
            if (!isLaunched(environment)) {
                throw e;
            }
            problem = e.getMessage();
        }
        Settings known = settings.get(); // what is wrong has its default
        return Launched.make(exchange(environment, known), environment, known, problem);
    }

    private static boolean isLaunched(Map<String, String> environment) {
        return isSet(environment, Pmix.NAMESPACE) || isSet(environment, Pmi.DESCRIPTOR)
            || isSet(environment, Pmi.PORT);
    }

    private static synchronized Exchange exchange(Map<String, String> environment, Settings settings) {
        if (ofProcess == null) {
            KeyValues found = find(environment, settings.attachTimeoutNs());
            Exchange exchange = new Exchange(found);
            if (found.size() > 1 || !(found instanceof Alone)) {
                Runtime.getRuntime().addShutdownHook(new Thread(exchange::leave, "tributary-leave-launcher"));
            }
            ofProcess = exchange;
        }
        return ofProcess;
    }

    static KeyValues find(Map<String, String> environment, long timeoutNs) {
        try {
            Pmix pmix = Pmix.open(environment, timeoutNs);
            if (pmix != null) {
                return pmix;
            }
            if (isSet(environment, Pmi.DESCRIPTOR) || isSet(environment, Pmi.PORT)) {
                return Pmi.open(environment, timeoutNs);
            }
        } catch (IOException e) {
            throw new AttachException("the process manager that has launched this process cannot be used: "
                + e.getMessage(), e);
        }
        refuseOneOfMany(environment);
        System.err.println("tributary: nobody has launched this process: it is a job of one rank"
            + " (`tributary run`, srun --mpi=pmi2 and mpirun launch more)");
        return new Alone();
    }

    /** Each would become a job of its own, and compute the same. */
    private static void refuseOneOfMany(Map<String, String> environment) {
        for (String variable : SIZES) {
            String size = environment.getOrDefault(variable, "1").strip();
            if (!size.matches("[01]?")) {
                throw new AttachException("this process is one of " + size + " (" + variable + "), and "
                    + (isSet(environment, Pmix.NAMESPACE)
                        ? "there is no " + PmixLibrary.NAME + " to find the others by: install it; or use "
                        : "its launcher offers no PMI to find the others by: with srun, add --mpi=pmi2; or use ")
                    + "`tributary run`", null);
            }
        }
    }

    private static boolean isSet(Map<String, String> environment, String variable) {
        return !environment.getOrDefault(variable, "").isBlank();
    }
}
