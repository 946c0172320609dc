package org.tributary.it;

import java.nio.file.Files;
import java.nio.file.Path;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.Group;
import org.tributary.client.MutexSet;

/** Programs that hang, or seem to: every rank says that it is ready, then does what the first argument says. */
public final class HangingProgram {
    private HangingProgram() {
    }

    /** Runs on the ranks of a job. */
    public static void main(String[] arguments) throws InterruptedException {
        try (Gas gas = Gas.attach()) {
            MutexSet mutexes = gas.createMutexes(2);
            GlobalMemory memory = gas.allocate(64);
            int other = gas.rankCount() - 1 - gas.rank();
            boolean plays = gas.rank() == 0 || other == 0;
            if (arguments[0].equals("deadlock") && plays) {
                mutexes.lock(gas.rank(), 1);
            }
            Group evens = gas.world().split(0, gas.rank());
            Group odds = gas.world().split(0, gas.rank());
            gas.barrier();
            System.out.println("ready rank " + gas.rank() + " pid " + ProcessHandle.current().pid());
            switch (arguments[0]) {
                case "deadlock" -> {
                    if (plays) {
                        mutexes.lock(other, 1);
                    }
                    gas.barrier();
                }
                case "late" -> {
                    if (gas.rank() == 1) {
                        computeTheMatrix(gas);
                    }
                    gas.barrier();
                }
                case "groups" -> (gas.rank() == 0 ? evens : odds).barrier();
                case "notification" -> {
                    if (gas.rank() == 0) {
                        gas.waitNotify(other);
                    } else {
                        computeAtLeisure(gas);
                    }
                }
                case "leave" -> leaveWhenToldTo(gas, 2);
                case "all-wait" -> {
                    if (gas.rank() == 0) {
                        memory.awaitFlag(8, 1, -1); // never set
                    }
                    gas.barrier();
                }
                case "exchange" -> {
                    while (gas.rankCount() > 0) {
                        gas.notify(other);
                        gas.waitNotify(other);
                    }
                }
                case "get" -> {
                    while (gas.rankCount() > 0) {
                        memory.getLong(other, 0);
                    }
                }
                default -> throw new IllegalArgumentException(arguments[0]);
            }
        }
    }

    /** One rank does; the others wait for it. */
    private static void leaveWhenToldTo(Gas gas, int leaver) throws InterruptedException {
        if (gas.rank() != leaver) {
            gas.waitNotify(leaver);
        }
        while (!Files.exists(Path.of(System.getenv("GO")))) {
            Thread.sleep(1);
        }
    }

    private static void computeTheMatrix(Gas gas) {
        while (gas.rankCount() > 0) {
            Thread.onSpinWait();
        }
    }

    /** A rank that waits in no call of ours computes, for all that others see, whether it uses its core or not. */
    private static void computeAtLeisure(Gas gas) throws InterruptedException {
        while (gas.rankCount() > 0) {
            Thread.sleep(1);
        }
    }
}
