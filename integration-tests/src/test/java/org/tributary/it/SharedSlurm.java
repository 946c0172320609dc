package org.tributary.it;

import java.io.IOException;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** One Slurm for the tests of a class. Behind a test that failed there is another one: who knows what it has left. */
final class SharedSlurm implements AfterEachCallback, AfterAllCallback {
    private Slurm slurm;

    /** Made when it is first asked for; skips the test where that is not possible. */
    Slurm get() throws IOException {
        if (slurm == null) {
            slurm = Slurm.start();
        }
        return slurm;
    }

    @Override
    public void afterEach(ExtensionContext test) throws IOException {
        if (test.getExecutionException().isPresent()) {
            close();
        }
    }

    @Override
    public void afterAll(ExtensionContext tests) throws IOException {
        close();
    }

    private void close() throws IOException {
        if (slurm != null) {
            slurm.close();
            slurm = null;
        }
    }
}
