package org.tributary.launcher.doctor;

import java.util.List;

/** How many event loops a server would have. */
final class LoopsCheck implements Check {
    private static final String SUBJECT = "event loops of a server";
    private static final String LIMIT = "server.threads";

    @Override
    public List<Finding> look(Machine machine) {
        String problem = machine.ask().eventLoopsProblem();
        return List.of(problem == null ? Finding.ok(SUBJECT, machine.ask().eventLoops(), LIMIT)
            : Finding.warning(SUBJECT, machine.ask().eventLoops(), LIMIT, problem));
    }
}
