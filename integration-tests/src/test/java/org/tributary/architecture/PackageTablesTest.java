package org.tributary.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tables of docs/architecture.md that say which packages of a module use which others. */
class PackageTablesTest {
    /** Read before the test begins, whose time is limited. */
    private static final JavaClasses CLASSES = ModuleDirectionTest.CLASSES;
    private static final Path PAGE = Path.of("..", "docs", "architecture.md");
    private static final String END = "<!-- end of what is generated -->";

    @ParameterizedTest
    @ValueSource(strings = {"server", "client", "launcher"})
    void shouldBeCurrentWhenPackagesUseOthers(String module) throws IOException {
        String old = Files.readString(PAGE);
        String mark = "<!-- generated from the classes of the " + module + ": do not edit -->\n\n";
        assertTrue(old.contains(mark), mark);
        int begin = old.indexOf(mark) + mark.length();
        String table = table("org.tributary." + module, ModuleDirectionTest.PACKAGES.get(module));
        String current = old.substring(0, begin) + table + "\n" + old.substring(old.indexOf(END, begin));
        if (Boolean.getBoolean("tributary.updateDocs")) {
            Files.writeString(PAGE, current);
            return;
        }
        // Not every use of one more class is to change the page.
        assertEquals(current.replaceAll("\\| \\d+ ", "| n "), old.replaceAll("\\| \\d+ ", "| n "),
            "docs/architecture.md is out of date: mvn -pl integration-tests -am test -Dtest=PackageTablesTest"
                + " -Dsurefire.failIfNoSpecifiedTests=false -Dtributary.updateDocs=true");
    }

    private static String table(String module, List<String> packages) {
        List<String> used = packages.subList(0, packages.size() - 1);
        return "| | " + used.stream().map(PackageTablesTest::named).collect(Collectors.joining(" | ")) + " |\n"
            + String.join(" ", Collections.nCopies(packages.size(), "| ---")) + " |\n"
            + packages.stream().skip(1).map(user -> "| " + named(user) + " | " + used.stream()
                .map(name -> uses(full(module, user), full(module, name))).collect(Collectors.joining(" | "))
                + " |\n").collect(Collectors.joining());
    }

    private static String named(String name) {
        return name.isEmpty() ? "itself" : "`" + name + "`";
    }

    private static String full(String module, String name) {
        return name.isEmpty() ? module : module + "." + name;
    }

    /** How many pairs there are of a class of one package and a class of another that it uses. */
    private static String uses(String user, String name) {
        long count = CLASSES.stream()
            .filter(type -> type.getPackageName().equals(user) && !user.equals(name))
            .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
            .filter(use -> use.getTargetClass().getPackageName().equals(name))
            .map(use -> ModuleDirectionTest.outermost(use.getOriginClass()) + " "
                + ModuleDirectionTest.outermost(use.getTargetClass())).distinct().count();
        return count == 0 ? "" : Long.toString(count);
    }
}
