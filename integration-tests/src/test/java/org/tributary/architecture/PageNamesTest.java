package org.tributary.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Names in docs/architecture.md of classes, their members, messages and C files: there are such things. */
class PageNamesTest {
    /** Read before the test begins, whose time is limited. */
    private static final Iterable<JavaClass> CLASSES = ModuleDirectionTest.CLASSES;
    private static final Path PAGE = Path.of("..", "docs", "architecture.md");
    /** A class, perhaps behind its package or the end of that, and before one of its members. */
    private static final Pattern JAVA_NAME =
        Pattern.compile("`((?:\\p{Ll}\\w*\\.)*\\p{Lu}\\p{Ll}\\w*(?:\\.\\w+)?)");
    /** Lines of sequence diagrams, and what in them can only be a class. */
    private static final Pattern PARTICIPANTS = Pattern.compile("participant \\w+ as (.*)");
    private static final Pattern COMPOUND = Pattern.compile("\\b((?:\\p{Lu}\\p{Ll}+){2,})\\b");
    private static final Pattern C_FILE = Pattern.compile("`(\\w+\\.[ch])\\b");
    /** A message of TLS, an option of ssh, and a class that Netty uses. */
    private static final Set<String> OF_OTHERS = Set.of("KeyUpdate", "ServerAliveInterval", "sun.misc.Unsafe");

    @Test
    void shouldExistWhenThePageNamesAClass() throws IOException {
        String page = Files.readString(PAGE);
        Stream<String> inDiagrams = found(PARTICIPANTS, page).flatMap(line -> found(COMPOUND, line));
        assertAreAmong(javaNames(), Stream.concat(found(JAVA_NAME, page), inDiagrams));
    }

    @Test
    void shouldExistWhenThePageNamesAFileOfC() throws IOException {
        Set<String> files = new HashSet<>();
        for (String folder : List.of("src", "armci/src", "armci/include")) {
            try (Stream<Path> all = Files.walk(Path.of("..", "native", folder))) {
                all.forEach(file -> files.add(file.getFileName().toString()));
            }
        }
        assertAreAmong(files, found(C_FILE, Files.readString(PAGE)));
    }

    static Stream<String> found(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(each -> each.group(1));
    }

    static void assertAreAmong(Set<String> known, Stream<String> named) {
        Set<String> names = new TreeSet<>(named.toList());
        assertTrue(names.size() > 30, names::toString);
        names.removeAll(known);
        assertEquals(Set.of(), names);
    }

    /** Classes of ours and those that they use, messages, members behind a class, and classes of tests. */
    private static Set<String> javaNames() throws IOException {
        Set<String> names = new HashSet<>(OF_OTHERS);
        for (JavaClass type : CLASSES) {
            String name = type.getSimpleName();
            names.add(name.replaceAll("Decoder$", ""));
            type.getEnclosingClass().ifPresent(outer -> names.add(outer.getSimpleName() + "." + name));
            for (String placed : inPackages(type)) {
                names.add(placed);
                type.getMembers().forEach(member -> names.add(placed + "." + member.getName()));
            }
            type.getDirectDependenciesFromSelf().forEach(use -> names.add(use.getTargetClass().getSimpleName()));
            type.getAccessesFromSelf()
                .forEach(use -> names.add(use.getTargetOwner().getSimpleName() + "." + use.getName()));
        }
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            modules.flatMap(TestNamesTest::sources)
                .forEach(file -> names.add(file.getFileName().toString().replace(".java", "")));
        }
        return names;
    }

    /** Such as {@code Relay}, {@code relay.Relay} and {@code server.relay.Relay}. */
    private static List<String> inPackages(JavaClass type) {
        List<String> names = new ArrayList<>(List.of(type.getSimpleName()));
        for (String part : List.of(type.getPackageName().split("\\.")).reversed()) {
            names.add(part + "." + names.getLast());
        }
        return names;
    }
}
