package org.tributary.client.bootstrap;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeoutException;

/** PMIx, by its library: mpirun of Open MPI, {@code srun --mpi=pmix}. */
final class Pmix implements KeyValues {
    static final String NAMESPACE = "PMIX_NAMESPACE";
    private static final int VALUE_LENGTH = 1023;

    private final PmixLibrary library;
    private final long timeoutNs;
    private int rank = -1; // not known yet
    private int size;
    private boolean stuck;

    private Pmix(PmixLibrary library, long timeoutNs) {
        this.library = library;
        this.timeoutNs = timeoutNs;
    }

    /** Null where there is no PMIx, or no library of it. */
    static Pmix open(Map<String, String> environment, long timeoutNs) throws IOException {
        PmixLibrary library = environment.getOrDefault(NAMESPACE, "").isBlank() ? null : PmixLibrary.load();
        if (library == null) {
            return null;
        }
        Pmix pmix = new Pmix(library, timeoutNs);
        pmix.rank = pmix.within(timeoutNs, "PMIx_Init", library::init);
        pmix.size = pmix.within(timeoutNs, "PMIx_Get of pmix.job.size", library::jobSize);
        if (pmix.rank >= pmix.size) {
            throw new IOException("PMIx says that this is rank " + pmix.rank + " of " + pmix.size);
        }
        return pmix;
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public String name() {
        return "PMIx";
    }

    @Override
    public int valueLength() {
        return VALUE_LENGTH;
    }

    @Override
    public void put(String key, String value) throws IOException {
        within(timeoutNs, "PMIx_Put", () -> {
            library.put(key, value);
            return key;
        });
    }

    @Override
    public String get(int ofRank, String key) throws IOException {
        return within(timeoutNs, "PMIx_Get", () -> library.getText(ofRank, key));
    }

    @Override
    public void barrier() throws IOException {
        try {
            within(2 * timeoutNs, "PMIx_Fence", () -> {
                library.fence();
                return rank;
            });
        } catch (IOException e) {
            throw new IOException(e.getMessage() + "; do all " + size + " ranks attach?", e);
        }
    }

    @Override
    public void abort(int exitCode, String message) {
        end("PMIx_Abort", () -> library.abort(exitCode, message));
    }

    @Override
    public void leave() {
        if (!stuck) {
            end("PMIx_Finalize", library::finish);
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    private void end(String call, Step step) {
        try {
            within(timeoutNs, call, () -> {
                step.run();
                return call;
            });
        } catch (IOException e) {
            stuck = true; // the process ends anyway
        }
    }

    /** The library's calls have no deadline; one that hangs is left behind. */
    private <T> T within(long withinNs, String call, Callable<T> step) throws IOException {
        FutureTask<T> task = new FutureTask<>(step);
        Thread.ofPlatform().daemon().name("tributary-pmix").start(task);
        try {
            return new NamedWait(rank < 0 ? "a rank" : "rank " + rank, call + " of the process manager", withinNs)
                .get(task);
        } catch (TimeoutException e) {
            stuck = true;
            throw new IOException(call + " has not returned within " + withinNs / 1e9 + " s ("
                + (withinNs == timeoutNs ? "" : "twice ") + "attach.timeout)", e);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause().getMessage(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
