package org.tributary.testsupport;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.stream.Stream;
import org.junit.jupiter.api.ClassTemplate;
import org.junit.jupiter.api.extension.ClassTemplateInvocationContext;
import org.junit.jupiter.api.extension.ClassTemplateInvocationContextProvider;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A class of tests that runs twice, with servers of one event loop and of several ({@link ServerThreads}): for what
 * goes from one loop to another, such as locks, and is quick.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ClassTemplate
@ExtendWith(OneAndSeveralThreads.Counts.class)
public @interface OneAndSeveralThreads {
    /** What the class runs with. */
    final class Counts implements ClassTemplateInvocationContextProvider {
        /** Made by JUnit. */
        public Counts() {
            // nothing to set up
        }

        @Override
        public boolean supportsClassTemplate(ExtensionContext context) {
            return true;
        }

        @Override
        public Stream<Count> provideClassTemplateInvocationContexts(ExtensionContext context) {
            Integer all = Integer.getInteger(ServerThreads.PROPERTY);
            return all != null ? Stream.of(new Count(all))
                : Stream.of(new Count(ServerThreads.ONE), new Count(ServerThreads.SEVERAL));
        }
    }

    /** One of the runs of a class. */
    record Count(int loops) implements ClassTemplateInvocationContext {
        @Override
        public String getDisplayName(int invocation) {
            return "server.threads=" + loops;
        }

        @Override
        public void prepareInvocation(ExtensionContext context) {
            context.getStore(ServerThreads.OWN).put(ServerThreads.COUNT, loops);
        }
    }
}
