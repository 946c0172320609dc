package org.tributary.testsupport;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/**
 * Collects the errors of this process: what comes to the JDK's log at level WARNING or above, from servers, Netty and
 * anybody else, and exceptions that nobody has caught. Keeps those from the console that the present test brings about.
 */
final class ProcessErrors extends Handler {
    private ProcessErrors() {
        setLevel(Level.WARNING);
        setFormatter(new SimpleFormatter());
    }

    /** Again before each test: some tests reset the log or set a handler of their own. */
    static synchronized void collect() {
        Logger root = LogManager.getLogManager().getLogger("");
        boolean collects = false;
        for (Handler handler : root.getHandlers()) {
            collects |= handler instanceof ProcessErrors;
        }
        if (!collects) {
            ProcessErrors collector = new ProcessErrors();
            for (Handler handler : root.getHandlers()) {
                handler.setFilter(line -> !LoggedErrors.ofPresentTest().isDeclared(collector.text(line)));
            }
            root.addHandler(collector);
        }
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> {
            StringWriter text = new StringWriter();
            failure.printStackTrace(new PrintWriter(text));
            System.err.print("Exception in thread \"" + thread.getName() + "\" " + text);
            LoggedErrors.ofPresentTest().add("uncaught in thread \"" + thread.getName() + "\": " + text);
        });
    }

    @Override
    public void publish(LogRecord line) {
        if (isLoggable(line)) {
            LoggedErrors.ofPresentTest().add(text(line));
        }
    }

    private String text(LogRecord line) {
        return line.getLevel().getName() + " of " + line.getLoggerName() + ": " + getFormatter().format(line).strip();
    }

    @Override
    public void flush() {
        // nothing is buffered
    }

    @Override
    public void close() {
        // nothing to give back
    }
}
