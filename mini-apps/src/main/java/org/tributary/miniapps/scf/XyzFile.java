package org.tributary.miniapps.scf;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.tributary.client.Gas;
import org.tributary.config.ConfigException;
import org.tributary.config.Nearest;
import org.tributary.miniapps.Agreement;
import org.tributary.miniapps.gaussian.Elements;

/**
 * A molecule in a file of the form xyz: the number of atoms, a line of text, and a line for each atom with its symbol
 * and x, y and z in angstrom.
 */
final class XyzFile {
    private static final int DIMENSIONS = 3;
    private static final int HEAD = 2;
    private static final int LARGEST_BYTES = 1 << 20;
    private static final int LONGEST_SHOWN = 40;
    /** A tenth of a millimetre; no atoms that have to do with each other are so far apart. */
    private static final int FARTHEST = 1_000_000;

    private XyzFile() {
    }

    /**
     * Reads a file on rank 0, for all ranks. Collective.
     *
     * @throws ConfigException on all ranks, when it cannot be read or is no such file
     */
    static Molecule read(Gas gas, String file) {
        byte[] bytes = new byte[0];
        String problem = "";
        if (gas.rank() == 0) {
            try {
                bytes = bytes(Path.of(file));
            } catch (NoSuchFileException e) {
                problem = "there is no molecule and no file of this name" + Nearest.hint(file, Molecules.names());
            } catch (IOException | IllegalArgumentException e) {
                problem = "rank 0 cannot read it on its host: " + e;
            }
        }
        String told = Agreement.share(gas, 0, problem);
        if (!told.isEmpty()) {
            throw new ConfigException("--molecule " + file + ": " + told);
        }
        return parse(file, new String(Agreement.share(gas, 0, bytes), StandardCharsets.UTF_8));
    }

    private static byte[] bytes(Path file) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new IOException(file + " is no regular file");
        }
        if (Files.size(file) > LARGEST_BYTES) {
            throw new IOException(file + " has " + Files.size(file) + " bytes, and a molecule has at most "
                + LARGEST_BYTES);
        }
        return Files.readAllBytes(file);
    }

    /**
     * A molecule by the text of its file.
     *
     * @throws ConfigException naming file and line
     */
    static Molecule parse(String file, String text) {
        List<String> lines = text.stripTrailing().lines().toList();
        int atoms = lines.isEmpty() ? 0 : count(lines.getFirst());
        if (atoms < 1) {
            throw new ConfigException("--molecule " + file + ": line 1: an xyz file begins with the number of atoms"
                + (lines.isEmpty() ? ", and this one is empty" : ": '" + shown(lines.getFirst()) + "'"));
        }
        if (lines.size() != HEAD + atoms) {
            throw new ConfigException("--molecule " + file + ": line 1: the number of atoms is " + atoms
                + ", that of their lines " + Math.max(0, lines.size() - HEAD));
        }
        int[] elements = new int[atoms];
        double[] positions = new double[DIMENSIONS * atoms];
        for (int atom = 0; atom < atoms; atom++) {
            String place = "--molecule " + file + ": line " + (HEAD + atom + 1) + ": ";
            String line = lines.get(HEAD + atom).strip();
            String[] words = line.split("\\s+", -1);
            if (words.length < DIMENSIONS + 1) {
                throw new ConfigException(place + "an atom has a symbol, x, y and z: '" + shown(line) + "'");
            }
            elements[atom] = Elements.number(words[0]).orElseThrow(
                () -> new ConfigException(place + "'" + shown(words[0]) + "' is the symbol of no element"));
            for (int d = 0; d < DIMENSIONS; d++) {
                positions[DIMENSIONS * atom + d] = coordinate(place, words[d + 1]) / Molecule.BOHR;
            }
        }
        return new Molecule(file, elements, positions);
    }

    /** The beginning of what may be anything. */
    private static String shown(String text) {
        return text.length() <= LONGEST_SHOWN ? text : text.substring(0, LONGEST_SHOWN) + "…";
    }

    private static int count(String line) {
        try {
            return Integer.parseInt(line.strip());
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static double coordinate(String place, String word) {
        double number;
        try {
            number = Double.parseDouble(word);
        } catch (NumberFormatException e) {
            number = Double.NaN;
        }
        if (!Double.isFinite(number)) {
            throw new ConfigException(place + "'" + shown(word) + "' is no coordinate in angstrom");
        }
        if (Math.abs(number) > FARTHEST) {
            throw new ConfigException(place + "'" + shown(word) + "' is too far away, in angstrom; from -" + FARTHEST
                + " to " + FARTHEST + " would fit");
        }
        return number;
    }
}
