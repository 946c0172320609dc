package org.tributary.launcher.host;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.tributary.launcher.job.LineSink;
import org.tributary.launcher.link.AgentLink;
import org.tributary.launcher.link.AgentLinks;
import org.tributary.launcher.link.Codec;
import org.tributary.launcher.link.Command;
import org.tributary.launcher.link.Fan;
import org.tributary.launcher.link.Frame;
import org.tributary.launcher.link.LaunchCommand;

/** Starts agents on other hosts, as the agent of a large job does. They say of which release they are, and end. */
final class Launches {
    private Launches() {
    }

    /**
     * For each host why there is no agent of this release within the time, or nothing; all are started at a time. When
     * the thread is interrupted, commands that have not reached an agent end at once.
     */
    static List<String> tried(Command.Launch launch, String release, LineSink err) throws InterruptedException {
        LaunchCommand command = LaunchCommand.of(launch.launchCommand());
        List<Attempt> attempts = new ArrayList<>();
        for (String host : launch.hosts()) {
            attempts.add(new Attempt(attempts.size(), host, release, err));
        }
        try {
            attempts.forEach(attempt -> attempt.link.start(command, attempt.host, AgentLinks.agentCommand()));
            long endNs = System.nanoTime() + launch.limitNs();
            List<String> problems = new ArrayList<>();
            for (Attempt attempt : attempts) {
                problems.add(attempt.problem(endNs, launch.limitNs()));
            }
            return problems;
        } catch (InterruptedException e) {
            attempts.stream().map(attempt -> attempt.link).filter(link -> !link.isGreeted()).forEach(AgentLink::ask);
            throw e;
        } finally {
            AgentLink.end(attempts.stream().map(attempt -> attempt.link).toList());
        }
    }

    private static final class Attempt implements AgentLink.Listener {
        private final CompletableFuture<String> end = new CompletableFuture<>();
        private final String host;
        private final AgentLink link;

        Attempt(int number, String host, String release, LineSink err) {
            this.host = host;
            // No job begins with this: the agent ends.
            this.link = new AgentLink(new Fan.Range(number, 1), host, release,
                Codec.encode(new Command.TellTime(), number), this, err);
        }

        @Override
        public void frame(Fan.Range from, Frame frame) {
            // It has nothing to say.
        }

        @Override
        public void gone(Fan.Range range, String which, String why) {
            end.complete(why);
        }

        String problem(long endNs, long limitNs) throws InterruptedException {
            String why;
            try {
                why = end.get(endNs - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                why = "no answer within " + TimeUnit.NANOSECONDS.toMillis(limitNs) / 1e3 + " s";
            } catch (ExecutionException e) {
                throw new IllegalStateException(e);
            }
            return link.isGreeted() ? "" : why;
        }
    }
}
