package org.tributary.launcher.doctor;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Those of a machine on which all is well, unless a test says otherwise. */
final class FakeAnswers implements Machine.Answers {
    Runtime.Version java = Runtime.Version.parse("25.0.1");
    long freeBytes = 8L << 30;
    List<String> addresses = List.of("10.1.2.3");
    String advertised = "10.1.2.3 of eth0";
    List<String> portProblems = List.of();
    String eventLoops = "1: 4 cores, one loop for each 8";
    String eventLoopsProblem;
    String kernelTlsProblem;
    List<String> stale = List.of();
    Map<String, String> loadable = Map.of();

    @Override
    public Runtime.Version java() {
        return java;
    }

    @Override
    public int processors() {
        return 4;
    }

    @Override
    public long freeBytes(Path directory) throws IOException {
        if (freeBytes < 0) {
            throw new IOException("no such directory");
        }
        return freeBytes;
    }

    @Override
    public String eventLoops() {
        return eventLoops;
    }

    @Override
    public String eventLoopsProblem() {
        return eventLoopsProblem;
    }

    @Override
    public Path temporaryDirectory() {
        return Path.of("/tmp");
    }

    @Override
    public List<String> addressesOf(String host) throws IOException {
        if (addresses == null) {
            throw new IOException("no name server answers");
        }
        return addresses;
    }

    @Override
    public List<String> ownAddresses() {
        return List.of("127.0.0.1", "10.1.2.3");
    }

    @Override
    public String advertised() throws IOException {
        if (advertised == null) {
            throw new IOException("no address of this machine leads to other nodes");
        }
        return advertised;
    }

    @Override
    public List<String> portProblems() {
        return portProblems;
    }

    @Override
    public String kernelTlsProblem() {
        return kernelTlsProblem;
    }

    @Override
    public List<String> stale() {
        return stale;
    }

    @Override
    public Map<String, String> loadable() {
        return loadable;
    }

    @Override
    public List<String> libraryPath() {
        return List.of("");
    }

    @Override
    public List<String> programPath() {
        return List.of("", "/opt/bin", "/usr/bin");
    }
}
