package org.tributary.client.bootstrap;

import java.io.IOException;

/** A process that nobody has launched, and so the only rank of its job: nobody to tell anything. */
final class Alone implements KeyValues {
    private static final int VALUE_LENGTH = 1024;

    @Override
    public int rank() {
        return 0;
    }

    @Override
    public int size() {
        return 1;
    }

    @Override
    public String name() {
        return "no launcher";
    }

    @Override
    public int valueLength() {
        return VALUE_LENGTH;
    }

    @Override
    public void put(String key, String value) {
        // Nobody will get it.
    }

    @Override
    public String get(int rank, String key) throws IOException {
        throw new IOException("there is no other rank that could have put " + key);
    }

    @Override
    public void barrier() {
        // All are here.
    }

    @Override
    public void abort(int exitCode, String message) {
        // The caller ends by itself.
    }

    @Override
    public void leave() {
        // Nobody waits for it.
    }
}
