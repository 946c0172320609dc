package org.tributary.miniapps.gaussian;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A basis set by its name: the shells of each element. Immutable. */
public final class BasisSet {
    private static final String RESOURCE = "basis-sets.txt";
    private static final Map<String, BasisSet> ALL = read();

    private final String name;
    private final Map<Integer, List<Contraction>> elements;

    private record Contraction(Kind kind, double[] exponents, double[][] coefficients) {
    }

    private BasisSet(String name, Map<Integer, List<Contraction>> elements) {
        this.name = name;
        this.elements = elements;
    }

    /** Names as published, such as {@code 6-31G*}. */
    public static List<String> names() {
        return List.copyOf(ALL.keySet());
    }

    /** The basis set of a name, in capital or small letters; empty for an unknown name. */
    public static Optional<BasisSet> of(String name) {
        return ALL.values().stream().filter(each -> each.name.equalsIgnoreCase(name)).findFirst();
    }

    /** Its name as published. */
    public String name() {
        return name;
    }

    /** Whether it has functions for an atomic number. */
    public boolean has(int element) {
        return elements.containsKey(element);
    }

    /** The atomic numbers that it has functions for, in their order. */
    public List<Integer> elements() {
        return List.copyOf(elements.keySet());
    }

    /**
     * The shells of an atom.
     *
     * @param element atomic number, one of {@link #elements}
     * @param center  x, y and z of the atom, in bohr
     */
    public List<Shell> shells(int element, double... center) {
        return elements.get(element).stream().map(each -> Shell.of(each.kind, center, each.exponents,
            each.coefficients)).toList();
    }

    private static Map<String, BasisSet> read() {
        Map<String, BasisSet> all = new LinkedHashMap<>();
        try (InputStream in = BasisSet.class.getResourceAsStream(RESOURCE)) {
            Map<Integer, List<Contraction>> elements = null;
            for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n", -1)) {
                if (line.startsWith("basis ")) {
                    String[] names = line.substring("basis ".length()).split(" = ", -1);
                    elements = new TreeMap<>();
                    if (names.length > 1) {
                        elements.putAll(all.get(names[1]).elements);
                    }
                    all.put(names[0], new BasisSet(names[0], elements));
                } else if (!line.isBlank() && !line.startsWith("#")) {
                    String[] words = line.split("[ ,]+", -1);
                    List<Contraction> shells = new ArrayList<>(elements.getOrDefault(number(words[0]), List.of()));
                    shells.add(contraction(words));
                    elements.put(number(words[0]), shells);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return all;
    }

    private static int number(String symbol) {
        return Elements.number(symbol).orElseThrow();
    }

    private static Contraction contraction(String... words) {
        Kind kind = Kind.valueOf(words[1]);
        int momenta = kind.highest() - kind.lowest() + 1;
        int primitives = (words.length - 2) / (1 + momenta);
        double[] exponents = new double[primitives];
        double[][] coefficients = new double[momenta][primitives];
        int at = 2;
        for (int i = 0; i < primitives; i++) {
            exponents[i] = Double.parseDouble(words[at++]);
            for (int m = 0; m < momenta; m++) {
                coefficients[m][i] = Double.parseDouble(words[at++]);
            }
        }
        return new Contraction(kind, exponents, coefficients);
    }
}
