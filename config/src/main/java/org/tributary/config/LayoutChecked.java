package org.tributary.config;

/** A program that runs on some layouts only. The launcher asks it before it starts anything. */
public interface LayoutChecked {
    /**
     * Accepts a layout for the options that the program has been given.
     *
     * @throws ConfigException when the program cannot run on it; the message says what would fit
     */
    void checkLayout(Topology topology);
}
