package org.tributary.benchmarks.job;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.tributary.config.JobVariables;
import org.tributary.config.ProcessFiles;
import org.tributary.config.Settings;

/**
 * Starts launchers as this job's own was started.
 *
 * @param words its command line up to its program
 */
public record LauncherCommand(List<String> words) {
    private static final String JAR = "tributary-launcher.jar";
    private static final String MAIN = "org.tributary.launcher.Main";

    /** That of a process which {@code words} have started; null when it was no launcher. */
    static LauncherCommand of(List<String> words) {
        for (int i = 0; i < words.size(); i++) {
            if (words.get(i).endsWith(JAR) && i > 0 && words.get(i - 1).equals("-jar") || words.get(i).equals(MAIN)) {
                return new LauncherCommand(List.copyOf(words.subList(0, i + 1)));
            }
        }
        return null;
    }

    /** The one that has started this process; null when it was no launcher. */
    public static LauncherCommand ofThisJob() {
        return ProcessHandle.current().parent().map(parent -> of(ProcessFiles.of(parent).commandLine())).orElse(null);
    }

    /** {@code tributary run} with these arguments, in a job of its own that has the settings of this one. */
    public ProcessBuilder run(List<String> arguments) {
        List<String> whole = new ArrayList<>(words);
        whole.add("run");
        whole.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(whole);
        keepSettings(builder.environment());
        return builder;
    }

    /** Of what a rank has from its job: the rest would make the launcher part of it, and its servers have the ports. */
    static void keepSettings(Map<String, String> environment) {
        Map<String, String> settings = Settings.builder().environment(environment).set("server.port=0")
            .set("server.metrics-port=-1").build().toEnvironment();
        environment.keySet().removeIf(name -> name.startsWith(JobVariables.PREFIX));
        environment.putAll(settings);
    }
}
