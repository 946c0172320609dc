package org.tributary.miniapps.gaussian;

import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;

/** The elements, by their atomic number. */
public final class Elements {
    private static final List<String> SYMBOLS = List.of(
        "H", "He", "Li", "Be", "B", "C", "N", "O", "F", "Ne", "Na", "Mg", "Al", "Si", "P", "S", "Cl", "Ar",
        "K", "Ca", "Sc", "Ti", "V", "Cr", "Mn", "Fe", "Co", "Ni", "Cu", "Zn", "Ga", "Ge", "As", "Se", "Br",
        "Kr", "Rb", "Sr", "Y", "Zr", "Nb", "Mo", "Tc", "Ru", "Rh", "Pd", "Ag", "Cd", "In", "Sn", "Sb", "Te",
        "I", "Xe");

    private Elements() {
    }

    /** Atomic number of a symbol, in capital or small letters; nothing for another word. */
    public static OptionalInt number(String symbol) {
        String usual = symbol.isEmpty() ? symbol
            : symbol.substring(0, 1).toUpperCase(Locale.ROOT) + symbol.substring(1).toLowerCase(Locale.ROOT);
        int found = SYMBOLS.indexOf(usual);
        return found < 0 ? OptionalInt.empty() : OptionalInt.of(found + 1);
    }

    /** Symbol of an atomic number. */
    public static String symbol(int number) {
        return SYMBOLS.get(number - 1);
    }
}
