package org.tributary.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Our names in the tables of docs/guide.md beside those of other libraries, and all of C there: they exist. */
class GuideNamesTest {
    /** Read before the test begins, whose time is limited. */
    private static final Iterable<JavaClass> CLASSES = ModuleDirectionTest.CLASSES;
    private static final Path GUIDE = Path.of("..", "docs", "guide.md");
    private static final Path HEADER = Path.of("..", "native", "include", "tributary.h");
    private static final Pattern OF_C = Pattern.compile("\\b(trib_\\w+|TRIB_\\w+)");
    /** A method, perhaps behind its class. */
    private static final Pattern METHOD = Pattern.compile("`((?:\\p{Lu}\\w+\\.)?\\p{Ll}\\w*)`");
    private static final List<String> OF_JOBS = List.of("Gas", "GlobalMemory", "Group", "MutexSet", "Handle");

    @Test
    void shouldExistWhenTheGuideNamesAFunctionOfC() throws IOException {
        assertAreAmong(found(OF_C, Files.readString(HEADER)), found(OF_C, Files.readString(GUIDE)));
    }

    @Test
    void shouldExistWhenATableOfNamesHasAMethod() throws IOException {
        String guide = Files.readString(GUIDE);
        int windows = guide.indexOf("\n### Names of MPI's windows\n");
        String ofJobs = guide.substring(guide.indexOf("\n## Names\n"), windows);
        String ofWindows = guide.substring(windows, guide.indexOf("\n#", windows + 2));
        assertAreAmong(methods(OF_JOBS), methodsInColumn(2, ofJobs));
        Set<String> known = methods(List.of("Window"));
        known.addAll(methods(List.of("GlobalMemory")));
        assertAreAmong(known, methodsInColumn(2, ofWindows));
    }

    private static Set<String> found(Pattern pattern, String text) {
        return new TreeSet<>(pattern.matcher(text).results().map(each -> each.group(1)).toList());
    }

    private static Set<String> methodsInColumn(int column, String table) {
        Set<String> names = new TreeSet<>();
        table.lines().filter(line -> line.startsWith("| ")).map(line -> line.split("\\|"))
            .filter(cells -> cells.length > column).forEach(cells -> names.addAll(found(METHOD, cells[column])));
        return names;
    }

    private static Set<String> methods(List<String> classes) {
        Set<String> names = new HashSet<>();
        for (JavaClass type : CLASSES) {
            if (classes.contains(type.getSimpleName())) {
                type.getAllMethods().forEach(method -> names.add(method.getName()));
            }
            Stream.of(type).filter(any -> any.getPackageName().startsWith("org.tributary.client"))
                .flatMap(any -> any.getAllMethods().stream())
                .forEach(method -> names.add(type.getSimpleName() + "." + method.getName()));
        }
        return names;
    }

    private static void assertAreAmong(Set<String> known, Set<String> named) {
        assertTrue(named.size() > 20, named::toString);
        Set<String> unknown = new TreeSet<>(named);
        unknown.removeAll(known);
        assertEquals(Set.of(), unknown);
    }
}
