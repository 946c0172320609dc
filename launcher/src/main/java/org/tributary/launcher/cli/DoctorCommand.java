package org.tributary.launcher.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.tributary.config.Settings;
import org.tributary.launcher.doctor.Diagnosis;
import org.tributary.launcher.doctor.Machine;
import org.tributary.launcher.doctor.ThisSystem;
import org.tributary.launcher.job.ExitCodes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Looks at the machine before a job does. */
@Command(name = "doctor", mixinStandardHelpOptions = true, versionProvider = Version.class,
    description = "Says what will go wrong on this machine: for each thing that it looks at the value, the limit and"
        + " the remedy. Changes nothing.",
    footer = {"", "The exit code is 1 when there is an error, 0 when there are only warnings."})
final class DoctorCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private SettingsOptions settings;

    @Option(names = "--json", description = "Print a JSON object instead of a table.")
    private boolean json;

    @Override
    public Integer call() {
        Settings inForce = settings.settings();
        Diagnosis diagnosis = Diagnosis.of(new Machine(Path.of("/"), inForce, new ThisSystem(inForce)),
            String.join(", ", new Version().getVersion()));
        PrintWriter out = spec.commandLine().getOut();
        out.print(json ? diagnosis.json() : diagnosis.text());
        out.flush();
        return diagnosis.hasErrors() ? ExitCodes.FAILURE : 0;
    }
}
