package org.tributary.server.testing;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What servers of this process log while this is open. */
public final class ServerLogLines extends Handler implements AutoCloseable {
    private final Logger logger = Logger.getLogger("org.tributary.server");
    private final List<String> lines = new CopyOnWriteArrayList<>();

    /** Begins to listen. */
    public ServerLogLines() {
        logger.addHandler(this);
    }

    @Override
    public void publish(LogRecord line) {
        lines.add(line.getLevel() + " " + line.getMessage());
    }

    /** Lines that contain a text. */
    public List<String> with(String text) {
        return lines.stream().filter(line -> line.contains(text)).toList();
    }

    @Override
    public void flush() {
        // nothing is buffered
    }

    @Override
    public void close() {
        logger.removeHandler(this);
    }
}
