package org.tributary.architecture;

import static org.tributary.architecture.PageNamesTest.assertAreAmong;
import static org.tributary.architecture.PageNamesTest.found;

import com.tngtech.archunit.core.domain.JavaClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
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
    /** The column of a table that names methods in Java. */
    private static final int JAVA = 2;
    /** Classes whose methods the first table names without them; the second does so with those of windows. */
    private static final Set<String> UNNAMED = Set.of("Gas", "GlobalMemory", "Group", "MutexSet", "Handle");
    private static final String WINDOW = "Window.";

    @Test
    void shouldExistWhenTheGuideNamesAFunctionOfC() throws IOException {
        Set<String> known = found(OF_C, Files.readString(HEADER)).collect(Collectors.toSet());
        assertAreAmong(known, found(OF_C, Files.readString(GUIDE)));
    }

    @Test
    void shouldExistWhenATableOfNamesHasAMethod() throws IOException {
        List<String> parts = List.of(Files.readString(GUIDE).split("\n(?=##+ )"));
        Stream<String> ofWindows = methods(parts, "### Names of MPI's windows")
            .map(name -> name.contains(".") ? name : WINDOW + name);
        assertAreAmong(known(), Stream.concat(methods(parts, "## Names"), ofWindows));
    }

    private static Stream<String> methods(List<String> parts, String heading) {
        String part = parts.stream().filter(each -> each.startsWith(heading + "\n")).findFirst().orElseThrow();
        return part.lines().filter(line -> line.startsWith("| ")).map(line -> line.split("\\|"))
            .flatMap(cells -> found(METHOD, cells[JAVA]));
    }

    /** Methods of clients behind their classes, and of the commonest classes alone too. */
    private static Set<String> known() {
        Set<String> names = new HashSet<>();
        for (JavaClass type : CLASSES) {
            if (type.getPackageName().startsWith("org.tributary.client")) {
                type.getAllMethods().forEach(method -> names.add(type.getSimpleName() + "." + method.getName()));
                if (UNNAMED.contains(type.getSimpleName())) {
                    type.getAllMethods().forEach(method -> names.add(method.getName()));
                }
            }
        }
        return names;
    }
}
