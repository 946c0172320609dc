package org.tributary.launcher.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Words that bash offers, and what zsh makes of a line. */
class CompletionTest {
    private static final Path BASH = Path.of("/bin/bash");
    private static final Path SCRIPT = Path.of("/usr/bin/script");
    private static final String SHOW = "tributary() { echo \"called with:$(printf ' <%s>' \"$@\")\"; }\n";
    private static final long DEADLINE_S = 250;

    @TempDir
    private Path directory;
    private Path script;

    @BeforeEach
    void write() throws Exception {
        assumeTrue(Files.isExecutable(BASH), "needs bash");
        script = Files.writeString(directory.resolve("tributary"), Completion.script(TributaryCommand.commandLine()));
    }

    private Set<String> offered(String commandLine) throws Exception {
        List<String> words = Arrays.asList(commandLine.split(" ", -1));
        String output = bash("source " + script + "; compopt() { :; }; COMP_WORDS=("
            + words.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "))
            + "); COMP_CWORD=" + (words.size() - 1)
            + "; _tributary_complete; printf '%s\\n' \"${COMPREPLY[@]}\"", "");
        return output.lines().filter(line -> !line.isEmpty()).collect(Collectors.toSet());
    }

    private String bash(String commands, String input) throws Exception {
        Process bash = new ProcessBuilder(BASH.toString(), "--norc", "-c", commands).redirectErrorStream(true).start();
        bash.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
        bash.getOutputStream().close();
        assertTrue(bash.waitFor(DEADLINE_S, TimeUnit.SECONDS), "bash does not end");
        return new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "tributary ru                       | run",
        "tributary run ma                   | matmul",
        "tributary run --nodes 2 ma         | matmul",
        "tributary run --nodes = 2 ja       | jacobi",
        "tributary run --lay                 | --layout",
        "tributary run matmul --siz         | --size",
        "tributary run --verbose matmul --s | --size",
        "tributary bench id                 | idle",
        "tributary bench rep                | report",
        "tributary bench one-sided --op     | --ops",
        "tributary bench one-sided --nod    | --nodes",
        "tributary bench --nod              | --nodes",
        "tributary bench report --res       | --results",
        "tributary run --set wait.sp        | wait.spin=",
        "tributary config --set wait.sp     | wait.spin=",
        "tributary server --set wait.sp     | wait.spin=",
        "tributary run --output pl          | plain",
        "tributary run --bind nu            | numa",
        "tributary bench --bind co          | core",
        "tributary run matmul --type fl     | float",
        "tributary run --dashboard hel      | hello",
        "tributary run --dashboard --no     | --nodes",
        "tributary run --dashboard matmul --siz | --size",
    })
    void shouldOfferTheOneThatFitsWhenItHasBegun(String commandLine, String word) throws Exception {
        assertEquals(Set.of(word), offered(commandLine.strip()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "tributary run -- ./program --n",
        "tributary run --class-path classes my.Main --n",
        "tributary run --class-path classes --dashboard my.Main --n",
        "tributary run --set wait.spin = 1us my.Main --n",
        "tributary run matmul --node",
        "tributary run hello --set",
        "tributary run --set wait.preset = sh",
        "tributary bench report --nod",
    })
    void shouldOfferNothingWhenItIsNotTheCommandsOwn(String commandLine) throws Exception {
        assertEquals(Set.of(), offered(commandLine.strip()));
    }

    @Test
    void shouldOfferWhatTheDocumentsNameWhenAValueIsAskedFor() throws Exception {
        assertEquals(Set.of("prefix", "plain"), offered("tributary run --output "));
        assertEquals(Set.of("none", "core", "numa"), offered("tributary run --bind "));
    }

    @Test
    void shouldOfferProgramsKeysAndBenchmarksWhenNothingHasBegun() throws Exception {
        assertTrue(offered("tributary run ").containsAll(Programs.load(Programs.RUN).byName().keySet()));
        assertTrue(offered("tributary bench ").containsAll(Programs.load(Programs.BENCH).byName().keySet()));
        assertTrue(offered("tributary run --set ").containsAll(List.of("wait.preset=", "server.port=")));
    }

    @Test
    void shouldCompleteTheLineWhenTabIsTyped() throws Exception {
        assumeTrue(Files.isExecutable(SCRIPT), "needs script, for a terminal");
        Path start = Files.writeString(directory.resolve("start"), "source " + script + "\n" + SHOW
            + "bind 'set enable-bracketed-paste off'\n");
        String output = bash("script -qec 'bash --rcfile " + start + " -i' /dev/null",
            "tributary run --nodes 2 --set server.po\t7 matm\t--si\t8\nexit\n");
        assertTrue(output.contains("called with: <run> <--nodes> <2> <--set> <server.port=7> <matmul> <--size> <8>"),
            output);
    }

    /** With and without a start-up file that has prepared completion. */
    @ParameterizedTest
    @ValueSource(strings = {"", "autoload -U +X compinit && compinit -u\n"})
    void shouldCompleteLinesInZshWhenTabIsTyped(String before) throws Exception {
        assumeTrue(Files.isExecutable(SCRIPT), "needs script, for a terminal");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/zsh")) || Files.isExecutable(Path.of("/bin/zsh")), "needs zsh");
        Files.writeString(directory.resolve(".zshrc"), before + "source " + script + "\n" + SHOW
            + "cd " + directory + "\nunset zle_bracketed_paste\n");
        Files.createFile(directory.resolve("my-program"));
        String output = bash("export TERM=dumb ZDOTDIR=" + directory + "; script -qec 'zsh -d -i' /dev/null",
            String.join("\n", "tributary ru\t--nodes=2 --set server.po\t7 matm\t--si\t8",
                "tributary run --output pl\t--set wait.sp\t1us --bind nu\t--dashboard hel\t",
                "tributary bench one-sided --op\tget", "tributary run --nodes 2 -- ./my-p\t--no\t", "exit", ""));
        for (String called : List.of("<run> <--nodes=2> <--set> <server.port=7> <matmul> <--size> <8>",
            "<run> <--output> <plain> <--set> <wait.spin=1us> <--bind> <numa> <--dashboard> <hello>",
            "<bench> <one-sided> <--ops> <get>", "<run> <--nodes> <2> <--> <./my-program> <--no>")) {
            assertTrue(output.contains("called with: " + called), output);
        }
    }
}
