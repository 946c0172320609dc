package org.tributary.launcher.cli;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Stack;
import org.tributary.config.ConfigException;
import org.tributary.launcher.dashboard.Dashboard;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** Whether and where a page shows the job. */
final class DashboardOptions {
    private static final String PORT = "--dashboard";
    private static final String ADDRESS = "--dashboard-address";
    private static final String ANY_PORT = "0";
    private static final String LOOPBACK = "127.0.0.1";
    private static final int MAX_PORT = 65535;

    @Option(names = PORT, paramLabel = "PORT", arity = "0..1", preprocessor = AttachedPort.class,
        description = "Show the job on a page, whose address is printed (default port: any free one).")
    private Integer port;

    @Option(names = ADDRESS, paramLabel = "ADDRESS",
        description = "Where that page is served (default: " + LOOPBACK + "). Everybody who can reach it and knows its"
            + " token can look at the job.")
    private String address;

    /** The next word is the program, not a port. */
    static final class AttachedPort implements IParameterPreprocessor {
        @Override
        @SuppressWarnings("JdkObsolete") // picocli's
        public boolean preprocess(Stack<String> args, CommandSpec command, ArgSpec option, Map<String, Object> info) {
            if (!"=".equals(info.get("separator"))) {
                args.push(ANY_PORT);
            }
            return false;
        }
    }

    /**
     * Listens, if a page is wanted, before anything starts.
     *
     * @throws ConfigException when the port is none, or an address was given and no page is wanted
     * @throws IOException     when it cannot, with a message for the user
     */
    Optional<Dashboard> open() throws IOException {
        if (port == null && address != null) {
            throw new ConfigException(ADDRESS + " says where a page is served, and there is none without " + PORT);
        }
        return port == null ? Optional.empty()
            : Optional.of(open(address == null ? LOOPBACK : address, ADDRESS, port, PORT));
    }

    /** The same, for options of those names. */
    static Dashboard open(String address, String addressOption, int port, String portOption) throws IOException {
        if (port < 0 || port > MAX_PORT) {
            throw new ConfigException(portOption + ": " + port + " is no port: 0 to " + MAX_PORT);
        }
        return Dashboard.open(address, addressOption, port, portOption);
    }
}
