package org.tributary.client;

import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.support.ParameterDeclarations;
import org.tributary.testsupport.Thorough;

/** Layouts of {@link EveryPath} and {@link EveryPlacement}. */
final class Layouts {
    private Layouts() {
    }

    private static Stream<Arguments> of(String[] few, String[] more) {
        return Stream.concat(Arrays.stream(few), Thorough.only(Arrays.stream(more))).map(Arguments::of);
    }

    static final class Paths implements ArgumentsProvider {
        private static final String[] FEW = {"3,1,2", "4*1 forward", "1,2,1 aggregate direct", "cyclic:3,1,2 combine",
            "map:1,2,0,1 combine node", "2*1 encrypted", "2*1 tcp channels", "1,2,1 shm channels"};
        private static final String[] MORE = {"1*2", "2*1", "2*2", "4*1 combine", "1,2,1 combine node",
            "1,2,1 combine direct encrypted", "cyclic:2*2", "2*1 tcp", "1,2,1 shm"};

        @Override
        public Stream<Arguments> provideArguments(ParameterDeclarations parameters, ExtensionContext context) {
            return of(FEW, MORE);
        }
    }

    static final class Placements implements ArgumentsProvider {
        private static final String[] FEW = {"1*2", "2*1", "cyclic:3,1,2"};
        private static final String[] MORE = {"2*2", "3,1,2"};

        @Override
        public Stream<Arguments> provideArguments(ParameterDeclarations parameters, ExtensionContext context) {
            return of(FEW, MORE);
        }
    }
}
