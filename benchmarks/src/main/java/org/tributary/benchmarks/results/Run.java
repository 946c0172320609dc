package org.tributary.benchmarks.results;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.tributary.benchmarks.measure.SourceVersion;

/** One run of a benchmark: what it was, and where its results go. */
public final class Run {
    private static final double KIB_PER_GIB = 1 << 20;

    private final Path file;
    private final boolean judged;
    private final Results without;

    /**
     * Fails at once when the file cannot be written: better no benchmark than one without its results. The file itself
     * stays as it is until there are some. One that has results already keeps its title, its notes, and what it shows.
     *
     * @param file    null for none
     * @param judged  whether to print which aims are met
     * @param name    of the benchmark; results are called as their file
     * @param shows   what it measures
     * @param command that started it
     */
    public Run(Path file, boolean judged, String name, String shows, String command) throws IOException {
        this(file, judged, Results.BENCHMARK, name, shows, command);
    }

    /** A campaign: what it shows is no speed. */
    public static Run ofCampaign(Path file, String name, String shows, String command) throws IOException {
        return new Run(file, false, Results.CAMPAIGN, name, shows, command);
    }

    private Run(Path file, boolean judged, String kind, String name, String shows, String command)
        throws IOException {
        this.file = file;
        this.judged = judged;
        Results old = null;
        if (file != null) {
            checkWritable(file);
            old = !Files.exists(file) || Files.size(file) == 0 ? null : ResultFiles.read(file);
        }
        String called = file == null ? name : ResultFiles.nameOf(file);
        String commit = SourceVersion.find();
        without = new Results(called, kind, old == null ? title(called) : old.title(),
            old == null ? shows : old.shows(), null, commit == null ? "unknown" : commit,
            LocalDate.now(ZoneOffset.UTC).toString(), machine(), command, null, List.of(),
            old == null ? null : old.notes());
    }

    private static void checkWritable(Path file) throws IOException {
        if (isReplaceable(file)) {
            Path beside = newBeside(file);
            Files.newOutputStream(beside, StandardOpenOption.CREATE).close();
            Files.delete(beside);
        }
        if (Files.exists(file)) {
            Files.newOutputStream(file, StandardOpenOption.APPEND).close();
        }
    }

    /** Whether a new file can take its place, which it cannot that of a pipe or of a device. */
    private static boolean isReplaceable(Path file) {
        return Files.notExists(file) || Files.isRegularFile(file);
    }

    /** Of a name that {@code tributary bench report} does not read. Where {@code file} is a link, beside its target. */
    private static Path newBeside(Path file) throws IOException {
        Path place = Files.exists(file) ? file.toRealPath() : file;
        return place.resolveSibling("." + place.getFileName() + "." + ProcessHandle.current().pid() + ".new");
    }

    /** A process that is killed meanwhile leaves the old results, or the new ones. */
    private static void replace(Path file, String text) throws IOException {
        if (!isReplaceable(file)) {
            Files.writeString(file, text);
            return;
        }
        Path beside = newBeside(file);
        try {
            Files.writeString(beside, text);
            Files.move(beside, Files.exists(file) ? file.toRealPath() : file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(beside);
        }
    }

    private static String title(String name) {
        return name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1).replace('-', ' ');
    }

    private static String machine() throws IOException {
        return String.format(Locale.ROOT, "%d processors (%s), %.0f GiB, %s %s, %s %s",
            Runtime.getRuntime().availableProcessors(), value("/proc/cpuinfo", "model name"),
            Long.parseLong(value("/proc/meminfo", "MemTotal").replaceAll("\\D", "")) / KIB_PER_GIB,
            System.getProperty("os.name"), System.getProperty("os.version"), System.getProperty("java.vm.name"),
            System.getProperty("java.vm.version"));
    }

    private static String value(String table, String key) throws IOException {
        try (Stream<String> lines = Files.lines(Path.of(table))) {
            return lines.filter(line -> line.startsWith(key)).findFirst()
                .map(line -> line.substring(line.indexOf(':') + 1).strip()).orElse("unknown");
        }
    }

    public String name() {
        return without.name();
    }

    /** Writes the file, if there shall be one, and says where it is; prints the aims when they are asked for. */
    public void write(PrintStream out, List<Table> tables, String method) throws IOException {
        if (judged) {
            List<String> lines = tables.stream().flatMap(table -> Judgements.of(table).stream()).toList();
            out.println();
            out.println(lines.isEmpty() ? "There are no aims for this benchmark." : "Aims:");
            lines.forEach(out::println);
        }
        if (file != null) {
            keep(tables, method);
            out.println("Results are in " + file.toAbsolutePath());
        }
    }

    /** Writes the file, if there shall be one, with the results that there are until now. */
    public void keep(List<Table> tables, String method) throws IOException {
        if (file != null) {
            replace(file, ResultFiles.text(new Results(without.name(), without.kind(), without.title(),
                without.shows(), method, without.commit(), without.date(), without.machine(), without.command(), null,
                tables.stream().filter(table -> !table.rows().isEmpty()).toList(), without.notes())));
        }
    }

    /** For the console. */
    @Override
    public String toString() {
        return without.command() + "\n" + without.commit() + ", " + without.date() + ", " + without.machine();
    }
}
