package org.tributary.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** {@link Shim} against the header that it repeats. */
class ShimTest {
    private static final Path HEADER = Path.of("..", "native", "fabric", "tributary_fabric.h");
    private static final Pattern FUNCTION = Pattern.compile("(?m)^(?!static)([\\w ]+[ *])(tf_\\w+)\\(([^)]*)\\);");
    private static final Pattern ENUM = Pattern.compile("enum tf_\\w+ \\{([^}]*)}");
    /** Of libfabric, which takes most from errno. */
    private static final Map<String, Integer> ERRORS = Map.of("AGAIN", -11, "NO_DATA", -61, "NO_SYSTEM_CALL", -38);

    private static String header() throws IOException {
        return Files.readString(HEADER).replaceAll("(?s)/\\*.*?\\*/", "");
    }

    @Test
    void shouldHaveTheFunctionsOfTheHeaderWhenCalled() throws IOException {
        Map<String, String> functions = new TreeMap<>();
        for (MatchResult found : FUNCTION.matcher(header()).results().toList()) {
            String arguments = found.group(3).strip();
            int count = arguments.equals("void") ? 0 : arguments.split(",").length;
            functions.put(found.group(2), (found.group(1).equals("void ") ? "void " : "long ") + count);
        }
        assertTrue(functions.containsKey("tf_inject_data"), functions::toString);
        assertEquals(functions, Arrays.stream(Shim.class.getDeclaredMethods()).collect(Collectors.toMap(
            Method::getName, method -> method.getReturnType() + " " + method.getParameterCount(), (a, b) -> a,
            TreeMap::new)));
        for (Method method : Shim.class.getDeclaredMethods()) {
            assertTrue(Arrays.stream(method.getParameterTypes()).allMatch(type -> type == long.class),
                method.getName());
        }
    }

    @Test
    void shouldHaveTheCodesOfTheHeaderWhenTheyArePassed() throws IOException {
        Map<String, Integer> codes = new TreeMap<>(ERRORS);
        for (MatchResult found : ENUM.matcher(header()).results().toList()) {
            String[] names = found.group(1).split(",");
            for (int code = 0; code < names.length; code++) {
                codes.put(names[code].strip().replace("TF_", ""), code);
            }
        }
        Pattern.compile("#define TF_(\\w+) (\\d+)").matcher(header()).results()
            .forEach(found -> codes.put(found.group(1), Integer.parseInt(found.group(2))));
        Map<String, Integer> used = Arrays.stream(Shim.class.getDeclaredFields())
            .collect(Collectors.toMap(Field::getName, ShimTest::value, (a, b) -> a, TreeMap::new));
        used.forEach((name, code) -> assertEquals(codes.get(name), code, name));
        assertTrue(used.size() >= 15, used::toString);
    }

    private static int value(Field field) {
        try {
            return field.getInt(null);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
