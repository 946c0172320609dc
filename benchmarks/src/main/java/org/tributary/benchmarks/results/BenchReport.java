package org.tributary.benchmarks.results;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.tributary.config.ConfigException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tributary bench report}: no job, but the pages and plots of what jobs have measured. */
@Command(name = "report", mixinStandardHelpOptions = true, sortOptions = false, showDefaultValues = true,
    description = "Makes pages and plots from files of results, as 'tributary bench NAME --json FILE' writes them.",
    footer = {"", "Writes results.md, a page results/NAME.md for each NAME.json, and",
        "plots/*.svg. The same files give the same pages, to the byte. Nothing is",
        "written when a file cannot be used."})
public final class BenchReport implements Callable<Integer> {
    private static final String INDEX_TEXT = """
        # Results

        Figures of runs of the committed code, good and bad. Each page names its commit, command and machine, and is
        made by `tributary bench report` from a file beside it. Benchmarks write such files with `--json FILE`; the
        figures of those marked * were copied from a terminal. Ratios count more than times: their limits and peers were
        measured in the same run. But read the notes of a page first: they say where a limit is none, a row is cold, or
        a peer was denied what we have. A comparison is won when it meets an aim or beats a peer; a row may hold
        several. Wins and losses only count comparisons, close ones and those of a simulator too: they do not add up.
        [tried.md](tried.md) has ideas that were tried and abandoned.
        """;

    @Spec
    private CommandSpec spec;

    @Option(names = "--results", paramLabel = "DIR", defaultValue = "docs/results", description = "folder of the files")
    private Path results;

    @Option(names = "--out", paramLabel = "DIR", defaultValue = "docs", description = "where to write")
    private Path out;

    @Override
    public Integer call() throws IOException {
        Map<String, String> files = files(results);
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path path = out.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.getValue());
        }
        PrintWriter console = spec.commandLine().getOut();
        console.println(files.size() + " pages and plots are in " + out.toAbsolutePath().normalize());
        console.flush();
        return 0;
    }

    /**
     * The contents of all pages and plots, by path below the folder to write to.
     *
     * @throws ConfigException with every problem of the files
     */
    static SortedMap<String, String> files(Path folder) throws IOException {
        SortedMap<String, String> files = new TreeMap<>();
        List<Results> all = ResultFiles.readAll(folder);
        files.put("results.md", index(all));
        for (Results each : all) {
            files.put("results/" + each.name() + ".md", new Page(each).markdown());
            for (Table table : each.tables()) {
                for (Plot plot : table.allPlots()) {
                    if (files.put("plots/" + plot.name() + ".svg", Drawing.svg(plot, table)) != null) {
                        throw new ConfigException(each.name() + ".json: another plot is called '" + plot.name()
                            + "', too");
                    }
                }
            }
        }
        return files;
    }

    private static String index(List<Results> all) {
        StringBuilder text = new StringBuilder("<!-- Made by 'tributary bench report'. -->\n\n").append(INDEX_TEXT);
        for (String kind : Results.KINDS) {
            List<Results> some = all.stream().filter(each -> each.kind().equals(kind)).toList();
            if (!some.isEmpty()) {
                text.append("\n| ").append(kind).append(" | shows | won | in part | lost | commit |\n"
                    + "| --- | --- | ---: | ---: | ---: | --- |\n");
            }
            for (Results each : some) {
                List<String> cells = new ArrayList<>(List.of("[" + each.title() + "](results/" + each.name() + ".md)"
                    + (each.isTranscribed() ? " *" : ""), each.shows()));
                cells.addAll(Page.counts(each));
                cells.add(each.commit() == null ? "several" : each.commit());
                text.append(Page.row(cells)).append('\n');
            }
        }
        return text.toString();
    }
}
