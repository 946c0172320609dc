package org.tributary.launcher.dashboard;

import java.util.LinkedHashSet;
import java.util.Set;
import org.tributary.config.Json;

/** Those who look at a job, and what they are told. Owned by the event loop of the page. */
final class Readers {
    static final int MOST = 16;

    private final Set<Reader> all = new LinkedHashSet<>();
    private final History history = new History();
    private Step latest;

    /** Someone who looks at the job. */
    interface Reader {
        /** What it wants to see. */
        View view();

        /** Takes an event, or drops it when earlier ones are still on their way. */
        void event(String name, String data);

        /** Takes the last event. */
        void end();
    }

    /** False when too many look already. */
    boolean add(Reader reader) {
        return all.size() < MOST && all.add(reader);
    }

    /** What has been so far, for someone who has just come. */
    void welcome(Reader reader) {
        reader.event("history", Json.of(history.fields()));
        if (latest != null) {
            tell(reader);
        }
    }

    void remove(Reader reader) {
        all.remove(reader);
    }

    /** A step for everybody. */
    void publish(Step step) {
        latest = step;
        history.add(step);
        all.forEach(this::tell);
    }

    private void tell(Reader reader) {
        reader.event("step", StepJson.of(latest, reader.view()));
    }

    /** The job has ended. */
    void end() {
        all.forEach(Reader::end);
    }
}
