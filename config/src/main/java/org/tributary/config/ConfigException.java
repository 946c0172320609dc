package org.tributary.config;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Settings or a job description that cannot be used; carries every problem found, not only the first. */
public final class ConfigException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ArrayList<String> problems;

    public ConfigException(String problem) {
        this(List.of(problem));
    }

    public ConfigException(List<String> problems) {
        super(String.join(System.lineSeparator(), problems));
        this.problems = new ArrayList<>(problems);
    }

    /** One sentence a problem, in the order found. */
    public List<String> problems() {
        return Collections.unmodifiableList(problems);
    }
}
