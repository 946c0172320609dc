package org.tributary.client.window;

/**
 * What a window shall not find out or decide by itself, so that tests can; null where it shall.
 *
 * @param model   what automatic choices are based on, the same on all members
 * @param chooser of designs of fences
 */
record Given(CostModel model, FenceChooser chooser) {
    static final Given NOTHING = new Given(null, null);
}
