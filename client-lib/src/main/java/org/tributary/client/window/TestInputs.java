package org.tributary.client.window;

/**
 * Inputs that a test gives to a window; null where the window finds out or decides by itself.
 *
 * @param model   the basis of automatic choices, the same on all members
 * @param chooser of designs of fences
 */
record TestInputs(CostModel model, FenceChooser chooser) {
    static final TestInputs NOTHING = new TestInputs(null, null);
}
