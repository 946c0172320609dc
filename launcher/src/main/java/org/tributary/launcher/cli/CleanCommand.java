package org.tributary.launcher.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.tributary.launcher.job.ExitCodes;
import org.tributary.launcher.job.JobFiles;
import org.tributary.wire.shm.LockedDirectory.Swept;
import org.tributary.wire.shm.NodeDirectory;
import org.tributary.wire.shm.ProviderFiles;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Every start sweeps as well; this is for machines on which none will follow. */
@Command(name = "clean", mixinStandardHelpOptions = true, versionProvider = Version.class,
    description = "Removes shared memory and files of jobs that were killed on this machine.")
final class CleanCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private SettingsOptions settings;

    @Override
    public Integer call() {
        List<Swept> all = List.of(NodeDirectory.sweep(settings.settings().shmDirectory()), JobFiles.sweep(),
            ProviderFiles.sweep());
        List<String> removed = all.stream().flatMap(swept -> swept.removed().stream()).toList();
        List<String> problems = all.stream().flatMap(swept -> swept.problems().stream()).toList();
        PrintWriter out = spec.commandLine().getOut();
        removed.forEach(what -> out.println("removed " + what));
        if (removed.isEmpty() && problems.isEmpty()) {
            out.println("nothing to remove");
        }
        out.flush();
        PrintWriter err = spec.commandLine().getErr();
        problems.forEach(problem -> err.println("tributary: " + problem));
        err.flush();
        return problems.isEmpty() ? 0 : ExitCodes.FAILURE;
    }
}
