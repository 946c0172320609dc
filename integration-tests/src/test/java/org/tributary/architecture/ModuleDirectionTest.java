package org.tributary.architecture;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.Architectures;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Arrows between modules point down only, as docs/architecture.md draws them, and packages form no circles. */
class ModuleDirectionTest {
    /** Each module with those that may use it; benchmarks and launcher may use all below them. */
    private static final Map<String, List<String>> USERS = Map.ofEntries(
        Map.entry("config", List.of("wire", "cooperation", "simulator", "server", "client", "globalarrays", "miniapps",
            "benchmarks", "launcher")),
        Map.entry("wire", List.of("aggregation", "cooperation", "simulator", "server", "client", "globalarrays",
            "miniapps", "benchmarks", "launcher")),
        Map.entry("aggregation", List.of("cooperation", "simulator", "server", "benchmarks")),
        Map.entry("cooperation", List.of("simulator", "server", "client", "benchmarks", "launcher")),
        Map.entry("simulator", List.of("benchmarks")),
        Map.entry("server", List.of("benchmarks", "launcher")),
        Map.entry("client", List.of("globalarrays", "miniapps", "benchmarks", "launcher")),
        Map.entry("globalarrays", List.of("miniapps", "benchmarks")),
        Map.entry("miniapps", List.of("benchmarks")),
        Map.entry("benchmarks", List.of()),
        Map.entry("launcher", List.of()));

    /** Packages of two modules, {@code ""} for the module's own; each may use those before it. */
    private static final List<String> SERVER = List.of("observe", "frame", "memory", "io", "execute", "job", "relay",
        "connection", "");
    private static final List<String> CLIENT = List.of("error", "shape", "link", "node", "remote", "collective", "",
        "window");

    private final JavaClasses classes = new ClassFileImporter()
        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages("org.tributary");

    @Test
    void shouldPointDownWhenModulesUseEachOther() {
        LayeredArchitecture layers = Architectures.layeredArchitecture().consideringOnlyDependenciesInLayers()
            .withOptionalLayers(true);
        for (String module : USERS.keySet()) {
            layers = layers.layer(module).definedBy("org.tributary." + module + "..");
        }
        for (Map.Entry<String, List<String>> module : USERS.entrySet()) {
            List<String> users = new ArrayList<>(module.getValue());
            layers = users.isEmpty()
                ? layers.whereLayer(module.getKey()).mayNotBeAccessedByAnyLayer()
                : layers.whereLayer(module.getKey()).mayOnlyBeAccessedByLayers(users.toArray(String[]::new));
        }
        layers.check(classes);
    }

    @Test
    void shouldGoOneWayWhenPackagesOfTheServerUseEachOther() {
        checkOneWay("org.tributary.server", SERVER);
    }

    @Test
    void shouldGoOneWayWhenPackagesOfTheClientUseEachOther() {
        checkOneWay("org.tributary.client", CLIENT);
    }

    private void checkOneWay(String module, List<String> packages) {
        List<String> names = packages.stream().map(name -> name.isEmpty() ? module : module + "." + name).toList();
        LayeredArchitecture rooms = Architectures.layeredArchitecture().consideringOnlyDependenciesInLayers();
        for (String name : names) {
            rooms = rooms.layer(name).definedBy(name);
        }
        for (int i = 0; i < names.size(); i++) {
            List<String> users = names.subList(i + 1, names.size());
            rooms = users.isEmpty() ? rooms.whereLayer(names.get(i)).mayNotBeAccessedByAnyLayer()
                : rooms.whereLayer(names.get(i)).mayOnlyBeAccessedByLayers(users.toArray(String[]::new));
        }
        rooms.check(classes);
    }

    @Test
    void shouldFormNoCirclesWhenPackagesUseEachOther() {
        slices().matching("org.tributary.(**)").should().beFreeOfCycles().check(classes);
    }

    @Test
    void shouldHaveSomethingToCheckWhenRun() {
        assertFalse(classes.isEmpty());
        for (String module : List.of("config", "wire", "aggregation", "cooperation", "simulator", "server",
            "launcher")) {
            assertFalse(classes.that(DescribedPredicate.describe(module,
                type -> type.getPackageName().startsWith("org.tributary." + module))).isEmpty(), module);
        }
    }
}
