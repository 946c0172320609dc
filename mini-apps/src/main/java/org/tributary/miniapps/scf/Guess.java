package org.tributary.miniapps.scf;

import org.tributary.config.EnumText;

/** A density to begin with. */
enum Guess {
    /** That of the atoms side by side. */
    ATOMS,
    /** That of electrons that do not repel each other. */
    CORE;

    /** For example {@code atoms}. */
    @Override
    public String toString() {
        return EnumText.words(this);
    }
}
