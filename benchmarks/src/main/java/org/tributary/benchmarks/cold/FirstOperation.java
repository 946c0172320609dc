package org.tributary.benchmarks.cold;

import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.tributary.client.shape.Ranges;
import org.tributary.client.shape.Scale;
import org.tributary.client.shape.Strided;
import org.tributary.config.Nearest;
import org.tributary.wire.codec.LockMode;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Operations to be timed at their first call: complete at the target on return, and served by its server. */
enum FirstOperation {
    PUT_FENCE("put+fence", at -> {
        at.memory().put(at.target(), 0, at.buffer(), 0, Sizes.WORD);
        at.gas().fence(at.target());
    }),
    GET("get", at -> at.memory().get(at.target(), 0, at.buffer(), 0, Sizes.WORD)),
    ACCUMULATE_FENCE("accumulate+fence", at -> {
        at.memory().accumulate(at.target(), 0, Sizes.SCALE, at.buffer(), 0, Sizes.WORD);
        at.gas().fence(at.target());
    }),
    FETCH_AND_ADD("fetchAndAdd", at -> at.memory().fetchAndAdd(at.target(), 0, 1)),
    LOCK_UNLOCK("lock+unlock", at -> {
        at.mutexes().lock(at.target(), 0);
        at.mutexes().unlock(at.target(), 0);
    }),
    STRIDED_PUT_FENCE("strided-put+fence", at -> {
        at.memory().putStrided(at.target(), 0, at.buffer(), 0, Sizes.SHAPE);
        at.gas().fence(at.target());
    }),
    STRIDED_GET("strided-get", at -> at.memory().getStrided(at.target(), 0, at.buffer(), 0, Sizes.SHAPE)),
    VECTOR_PUT_FENCE("vector-put+fence", at -> {
        at.memory().putVector(at.target(), at.buffer(), Sizes.RANGES);
        at.gas().fence(at.target());
    }),
    PUT_WITH_FLAG_FENCE("put-with-flag+fence", at -> {
        at.memory().putWithFlag(at.target(), 0, at.buffer(), 0, Sizes.WORD, Sizes.FLAG, 1);
        at.gas().fence(at.target());
    }),
    WINDOW_LOCK_PUT_UNLOCK("window-lock+put+unlock", at -> {
        at.window().lock(LockMode.EXCLUSIVE, at.target());
        at.window().put(at.target(), 0, at.buffer(), 0, Sizes.WORD);
        at.window().unlock(at.target());
    }),
    LARGE_PUT_FENCE("put-256K+fence", at -> {
        at.memory().put(at.target(), 0, at.buffer(), 0, Sizes.LARGE);
        at.gas().fence(at.target());
    }),
    LARGE_GET("get-256K", at -> at.memory().get(at.target(), 0, at.buffer(), 0, Sizes.LARGE));

    /** Where constants of an enum can use them. */
    private static final class Sizes {
        private static final long WORD = Long.BYTES;
        private static final long FLAG = 64;
        private static final long LARGE = 256 << 10;
        private static final Scale SCALE = Scale.ofDouble(1);
        /** 64 rows of 512 bytes, 1 KiB apart. */
        private static final Strided SHAPE = Strided.rows(512, 64, 1024, 1024);
        private static final Ranges RANGES = Ranges.uniform(8, new long[] {0, 16, 8}, new long[] {40, 0, 16});
    }

    private final String text;
    private final Consumer<Place> body;

    FirstOperation(String text, Consumer<Place> body) {
        this.text = text;
        this.body = body;
    }

    /** Whether it moves more than the others. */
    boolean isLarge() {
        return this == LARGE_PUT_FENCE || this == LARGE_GET;
    }

    void call(Place at) {
        body.accept(at);
    }

    /** As on the command line and in results. */
    @Override
    public String toString() {
        return text;
    }

    /** Reads a name of the command line. */
    static final class Converter implements ITypeConverter<FirstOperation> {
        @Override
        public FirstOperation convert(String name) {
            List<String> names = Arrays.stream(values()).map(FirstOperation::toString).toList();
            int at = names.indexOf(name);
            if (at < 0) {
                throw new TypeConversionException("unknown operation '" + name + "'" + Nearest.hint(name, names));
            }
            return values()[at];
        }
    }
}
