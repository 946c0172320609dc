package org.tributary.launcher.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.tributary.config.Settings;
import org.tributary.launcher.doctor.Diagnosis;
import org.tributary.launcher.doctor.HostsDiagnosis;
import org.tributary.launcher.doctor.Machine;
import org.tributary.launcher.doctor.ThisSystem;
import org.tributary.launcher.host.Host;
import org.tributary.launcher.host.HostsDoctor;
import org.tributary.launcher.job.ExitCodes;
import org.tributary.launcher.job.LineSink;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Looks at the machine before a job does. */
@Command(name = "doctor", mixinStandardHelpOptions = true, versionProvider = Version.class,
    description = "Says what will go wrong on this machine, or on hosts and between them: for each thing that it"
        + " looks at the value, the limit and the remedy. Changes nothing.",
    footer = {"", "The exit code is 1 when there is an error, 0 when there are only warnings."})
final class DoctorCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private HostOptions hosts;

    @Option(names = "--json", description = "Print a JSON object instead of a table.")
    private boolean json;

    @Override
    public Integer call() throws InterruptedException {
        Settings inForce = settings.settings();
        Optional<HostOptions.Chosen> chosen = hosts.chosenByName(System.getenv());
        if (chosen.isPresent()) {
            HostsDiagnosis diagnosis = HostsDoctor.look(chosen.get().hosts().stream().map(Host::name).toList(),
                chosen.get().launch(), inForce, Version.release(),
                LineSink.ofStandardError());
            return print(json ? diagnosis.json() : diagnosis.text(), diagnosis.hasErrors());
        }
        Diagnosis diagnosis = Diagnosis.of(new Machine(Path.of("/"), inForce, new ThisSystem(inForce)),
            String.join(", ", new Version().getVersion()));
        return print(json ? diagnosis.json() : diagnosis.text(), diagnosis.hasErrors());
    }

    private int print(String diagnosis, boolean hasErrors) {
        PrintWriter out = spec.commandLine().getOut();
        out.print(diagnosis);
        out.flush();
        return hasErrors ? ExitCodes.FAILURE : 0;
    }
}
