package org.tributary.testsupport;

import java.util.List;
import java.util.regex.Pattern;

/** Verdict on the errors that a test has logged: those that it did not expect, and expected ones that did not come. */
final class Verdict {
    private Verdict() {
    }

    /** Null when nothing is. */
    static AssertionError on(String what, List<String> unexpected, List<Pattern> missing) {
        StringBuilder text = new StringBuilder();
        if (!unexpected.isEmpty()) {
            text.append(what).append(" logged ").append(unexpected.size()).append(" errors that it did not expect:\n")
                .append(String.join("\n", unexpected));
        }
        if (!missing.isEmpty()) {
            text.append(what).append(" did not log the errors that it expects: ").append(missing);
        }
        return text.isEmpty() ? null : new AssertionError(text.toString());
    }
}
