package org.tributary.testsupport;

import java.lang.reflect.AnnotatedElement;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Errors that a test or a class of tests expects or tolerates, as its annotations declare them. */
final class Declared {
    private Declared() {
    }

    static List<Pattern> expected(AnnotatedElement element) {
        ExpectsErrors errors = element.getAnnotation(ExpectsErrors.class);
        return errors == null ? List.of() : patterns(errors.value());
    }

    /** All that may come, also by the classes around a nested one. */
    static List<Pattern> by(AnnotatedElement test, Class<?> testClass) {
        return Stream.concat(Stream.of(test), Stream.<Class<?>>iterate(testClass, type -> type != null,
            Class::getEnclosingClass)).flatMap(Declared::byElement).toList();
    }

    private static Stream<Pattern> byElement(AnnotatedElement element) {
        ToleratesErrors errors = element.getAnnotation(ToleratesErrors.class);
        return Stream.concat(errors == null ? Stream.empty() : patterns(errors.value()).stream(),
            expected(element).stream());
    }

    private static List<Pattern> patterns(String[] texts) {
        return Stream.of(texts).map(Pattern::compile).toList();
    }
}
