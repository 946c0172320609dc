package org.tributary.config;

import java.util.Map;

/** Writes {@code docs/configuration.md} from the tables of options and job variables. */
final class ReferencePage {
    private ReferencePage() {
    }

    static String markdown() {
        StringBuilder page = new StringBuilder("""
            # Configuration

            This page is generated from the table of options in `config/`; a test holds it against the code, and
            `mvn -pl config -am test -Dtributary.updateDocs=true` writes it anew.

            ## Settings

            A setting comes from, later ones winning: its default, a file (`--config FILE`, with lines `key = value`;
            a comment begins with `#`, at the beginning of a line or after a space), its environment variable, and
            `--set key=value`. `tributary config` prints what is in force and where it came from, in the form of such a
            file. Everything is checked before anything starts; an unknown key is an error.

            Durations have a unit (`ns`, `us`, `ms`, `s`, `min`, `h`); sizes are bytes, or have one (`k`, `m`, `g`:
            powers of 1024). Where two defaults are given, the second holds with `wait.preset = dedicated`.

            | key | type | default | range | meaning |
            | --- | --- | --- | --- | --- |
            """);
        for (Option option : Option.values()) {
            page.append("| `").append(option.key()).append("` | ").append(option.kind().type())
                .append(" | `").append(option.defaultText(WaitPreset.SHARED)).append('`');
            if (option.dependsOnPreset()) {
                page.append(" / `").append(option.defaultText(WaitPreset.DEDICATED)).append('`');
            }
            page.append(" | ").append(option.kind().range()).append(" | ").append(option.doc()).append(" |\n");
        }
        page.append("""

            The environment variable of a key is `TRIBUTARY_` and the key in upper case, with `.` and `-` as `_`:
            `message.max-payload` is `TRIBUTARY_MESSAGE_MAX_PAYLOAD`.

            ## Variables of a job

            `tributary run` sets those that a server or rank needs. A job script that starts servers and ranks itself
            sets `TRIBUTARY_JOB_ID`, `TRIBUTARY_LAYOUT`, one of the two for the secret and, on several nodes, one of
            the two for the servers; `TRIBUTARY_NODE` and `TRIBUTARY_RANK` where nothing else says them. The last three
            are for users to set, and `tributary run` hands none of them on.

            | variable | meaning |
            | --- | --- |
            """);
        for (Map.Entry<String, String> variable : JobVariables.describe().entrySet()) {
            page.append("| `").append(variable.getKey()).append("` | ").append(variable.getValue()).append(" |\n");
        }
        page.append("""

            ## Options of the JVM

            A rank or server needs these options of `java`; `tributary run` gives them, and `tributary jvm-options`
            prints them for scripts:

            ```
            """);
        JvmOptions.required().forEach(option -> page.append(option).append('\n'));
        return page.append("```\n").toString();
    }
}
