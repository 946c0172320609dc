package org.tributary.launcher.dashboard;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.tributary.config.Json;
import org.tributary.config.Shortage;
import org.tributary.launcher.step.View;

/** The readers of the page of a job, and what they are told. Owned by the event loop of the page. */
final class Readers {
    static final int MOST = 16;

    private final Set<Reader> all = new LinkedHashSet<>();
    private final History history = new History();
    /** Of the latest step, by view; no more than there are readers. */
    private final Map<View, String> texts = new HashMap<>();
    private Step latest;
    private volatile long usedNs;
    private volatile Set<View> views = Set.of(View.ALL);

    /** A browser that shows the page. */
    interface Reader {
        /** Names the page that it shows, of which there is one reader; empty when that is not known. */
        String page();

        /** The part of the matrix that it shows. */
        View view();

        /** Takes an event, or drops it when earlier ones are still on their way. */
        void event(String name, String data);

        /** Takes the last event. */
        void end();

        /** Another one has come for its page. */
        void leave();
    }

    /** False when too many look already, besides one of the same page whose end has not been seen yet. */
    boolean add(Reader reader) {
        for (Reader other : List.copyOf(all)) {
            if (!reader.page().isEmpty() && other.page().equals(reader.page())) {
                all.remove(other);
                other.leave();
            }
        }
        boolean isAdded = all.size() < MOST && all.add(reader);
        noteViews();
        return isAdded;
    }

    private void noteViews() {
        views = all.isEmpty() ? Set.of(View.ALL) : all.stream().map(Reader::view).collect(Collectors.toSet());
    }

    /** Views of all readers; the one with which a reader begins if there is none. Read by any thread. */
    Set<View> views() {
        return views;
    }

    /** Sends the history and the latest step to a reader that has just come. */
    void welcome(Reader reader) {
        reader.event("history", Json.of(history.fields()));
        if (latest != null) {
            tell(reader);
        }
    }

    void remove(Reader reader) {
        all.remove(reader);
        noteViews();
    }

    /** A step for everybody; readers of the same view get the same text. */
    void publish(Step step) {
        latest = step;
        texts.clear();
        history.add(step);
        all.forEach(this::tell);
        usedNs = Pace.threadNs();
    }

    /** A step that cannot be shown is a problem, not the end of the page. */
    private void tell(Reader reader) {
        String text;
        try {
            if (texts.size() == MOST) {
                texts.clear(); // a reader may have come again with ever other views
            }
            text = texts.computeIfAbsent(reader.view(), view -> StepJson.of(latest, view));
        } catch (RuntimeException | OutOfMemoryError e) {
            reader.event("problem", Json.of(Map.of("text", "a step cannot be shown: " + Shortage.describe(e))));
            return;
        }
        reader.event("step", text);
    }

    /** Time of processors that this page had taken after the last step; read by any thread. */
    long usedNs() {
        return usedNs;
    }

    /** The job has ended. */
    void end() {
        all.forEach(Reader::end);
    }
}
