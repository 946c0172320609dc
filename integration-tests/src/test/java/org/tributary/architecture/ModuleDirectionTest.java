package org.tributary.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.Architectures;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import io.netty.util.concurrent.EventExecutorGroup;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Arrows between modules point down only, as docs/architecture.md draws them; packages and classes form no circles. */
class ModuleDirectionTest {
    /** Each module with those that may use it; benchmarks and launcher may use all below them. */
    private static final Map<String, List<String>> USERS = Map.ofEntries(
        Map.entry("config", List.of("wire", "fabric", "cooperation", "simulator", "server", "client", "testing",
            "globalarrays", "miniapps", "benchmarks", "launcher")),
        Map.entry("wire", List.of("fabric", "cooperation", "simulator", "server", "client", "testing",
            "globalarrays", "miniapps", "benchmarks", "launcher")),
        Map.entry("fabric", List.of("server", "client", "benchmarks")),
        Map.entry("aggregation", List.of("cooperation", "simulator", "server", "benchmarks")),
        Map.entry("cooperation", List.of("simulator", "server", "client", "benchmarks", "launcher")),
        Map.entry("simulator", List.of("benchmarks")),
        Map.entry("server", List.of("testing", "benchmarks", "launcher")),
        Map.entry("testing", List.of()),
        Map.entry("client", List.of("testing", "globalarrays", "miniapps", "benchmarks", "launcher")),
        Map.entry("globalarrays", List.of("miniapps", "benchmarks")),
        Map.entry("miniapps", List.of("benchmarks")),
        Map.entry("benchmarks", List.of()),
        Map.entry("launcher", List.of()));

    /** Packages of modules, {@code ""} for the module's own; each may use those before it. */
    static final Map<String, List<String>> PACKAGES = Map.of(
        "wire", List.of("libc", "codec", "socket", "record", "", "shm", "shape", "status"),
        "server", List.of("observe", "frame", "adapter", "memory", "io", "execute", "job", "relay", "connection", ""),
        "client", List.of("error", "shape", "bootstrap", "connection", "link", "adapter", "node", "attach", "remote",
            "collective", "segment", "", "window", "rehearsal"),
        "launcher", List.of("bind", "step", "status", "trace", "dashboard", "job", "node", "doctor", "link", "inquiry",
            "host", "cli", ""),
        "benchmarks", List.of("job", "measure", "limits", "results", "", "miniapps", "cooperation", "encryption",
            "loops", "fabric", "idle", "onesided", "onnode", "onnode.jmh_generated", "overlap", "windows", "scale",
            "cold", "start", "observe"));

    /** Classes that may need each other, nested ones counted with their outer class: a builder and what it builds. */
    private static final List<Set<String>> CIRCLES =
        List.of(circle("globalarrays", "GlobalArray", "GlobalArrayBuilder"));

    private static Set<String> circle(String in, String... names) {
        return Arrays.stream(names).map(name -> in + "." + name).collect(Collectors.toSet());
    }

    /** Read once for all tests. */
    static final JavaClasses CLASSES = new ClassFileImporter()
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
        layers.check(CLASSES);
    }

    @ParameterizedTest
    @ValueSource(strings = {"wire", "server", "client", "launcher", "benchmarks"})
    void shouldGoOneWayWhenPackagesOfAModuleUseEachOther(String name) {
        String module = "org.tributary." + name;
        List<String> names = PACKAGES.get(name).stream().map(each -> each.isEmpty() ? module : module + "." + each)
            .toList();
        assertEquals(Set.copyOf(names), CLASSES.stream().map(JavaClass::getPackageName)
            .filter(each -> (each + ".").startsWith(module + ".")).collect(Collectors.toSet()), "packages in the list");
        LayeredArchitecture rooms = Architectures.layeredArchitecture().consideringOnlyDependenciesInLayers();
        for (String each : names) {
            rooms = rooms.layer(each).definedBy(each);
        }
        for (int i = 0; i < names.size(); i++) {
            List<String> users = names.subList(i + 1, names.size());
            rooms = users.isEmpty() ? rooms.whereLayer(names.get(i)).mayNotBeAccessedByAnyLayer()
                : rooms.whereLayer(names.get(i)).mayOnlyBeAccessedByLayers(users.toArray(String[]::new));
        }
        rooms.check(CLASSES);
    }

    @Test
    void shouldFormNoCirclesWhenPackagesUseEachOther() {
        slices().matching("org.tributary.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void shouldFormNoCirclesWhenClassesUseEachOther() {
        Map<String, Set<String>> used = new TreeMap<>();
        CLASSES.forEach(type -> used.computeIfAbsent(outermost(type), name -> new TreeSet<>()).addAll(
            type.getDirectDependenciesFromSelf().stream().map(use -> outermost(use.getTargetClass())).toList()));
        Map<String, Set<String>> reached = new TreeMap<>();
        used.keySet().forEach(name -> reached.put(name, reach(name, used)));
        Set<List<String>> circles = new HashSet<>();
        reached.forEach((name, others) -> circles.add(others.stream()
            .filter(other -> other.equals(name) || reached.getOrDefault(other, Set.of()).contains(name)).toList()));
        circles.removeIf(circle -> circle.size() < 2 || CIRCLES.stream().anyMatch(known -> known.containsAll(circle)));
        assertEquals(Set.of(), circles);
    }

    static String outermost(JavaClass type) {
        return type.getName().replaceAll("^\\[+L|[$;].*", "").replace("org.tributary.", "");
    }

    private static Set<String> reach(String from, Map<String, Set<String>> used) {
        Set<String> reached = new TreeSet<>(Set.of(from));
        Deque<String> todo = new ArrayDeque<>(reached);
        while (!todo.isEmpty()) {
            used.getOrDefault(todo.pop(), Set.of()).stream().filter(reached::add).forEach(todo::push);
        }
        return reached;
    }

    /** A task that fails would end what it watches without a word. */
    @Test
    void shouldBeGuardedWhenTheServerSchedulesTasks() {
        noClasses().that().resideInAPackage("org.tributary.server..")
            .and().doNotHaveFullyQualifiedName("org.tributary.server.observe.GuardedTasks$Task")
            .should().callMethodWhere(describe("an event loop schedules a task", (JavaMethodCall call) ->
                call.getTarget().getName().startsWith("schedule")
                    && call.getTargetOwner().isAssignableTo(EventExecutorGroup.class)))
            .check(CLASSES);
    }

    @Test
    void shouldHaveSomethingToCheckWhenRun() {
        Set<String> packages = CLASSES.stream().map(JavaClass::getPackageName).collect(Collectors.toSet());
        for (String module : USERS.keySet()) {
            assertTrue(packages.stream().anyMatch(name -> (name + ".").startsWith("org.tributary." + module + ".")),
                module);
        }
    }
}
