package org.tributary.config;

/** A program that some layouts or options do not fit. The launcher asks it before it starts anything. */
public interface LayoutChecked {
    /**
     * Accepts a layout, and the options that the program has been given.
     *
     * @throws ConfigException when the program cannot run with them; the message says what would fit
     */
    void checkLayout(Topology topology);
}
