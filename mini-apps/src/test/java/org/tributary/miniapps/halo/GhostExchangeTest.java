package org.tributary.miniapps.halo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.tributary.client.testing.TestJob;
import org.tributary.config.Topology;
import org.tributary.miniapps.JobShape;
import org.tributary.miniapps.Report;
import org.tributary.miniapps.exchange.Design;
import org.tributary.miniapps.exchange.Exchange;
import org.tributary.miniapps.exchange.Neighbourhood;
import org.tributary.miniapps.exchange.ProcessGrid;
import org.tributary.miniapps.exchange.Synchronization;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

class GhostExchangeTest {
    @ParameterizedTest
    @EnumSource
    void shouldReceiveWhatNeighboursSendInEveryDesign(JobShape job) {
        job.runEach(GhostExchange::new, Combinations.with("--steps", "30", "--warmup", "3", "--ints", "5", "--verify"),
            outcome -> {
                assertTrue(outcome.right(), outcome.printed());
                assertTrue(outcome.printed().contains("verification: 0 ghost cells wrong: passed"), outcome.printed());
                assertTrue(outcome.printed().contains(" us a step"), outcome.printed());
                assertTrue(outcome.printed().contains(" messages/s"), outcome.printed());
                String synchronization = outcome.arguments().get(1);
                String design = outcome.arguments().get(3);
                assertEquals(!Set.of("mailbox", "get").contains(synchronization) && "auto".equals(design),
                    outcome.printed().contains("last choice of"), outcome.printed());
            });
    }

    @ParameterizedTest
    @EnumSource(names = "TWO_NODES_OF_TWO")
    void shouldVerifyAtTheEndUnlessTold(JobShape job) {
        for (String synchronization : List.of("mailbox", "get")) {
            JobShape.Outcome outcome = job.run(GhostExchange::new, "--sync", synchronization, "--ints", "20000",
                "--steps", "7");
            assertTrue(outcome.printed().contains("verification: 0 ghost cells wrong: passed"), outcome.printed());
        }
        JobShape.Outcome outcome = job.run(GhostExchange::new, "--sync", "mailbox", "--ints", "1", "--verify=off");
        assertTrue(outcome.right() && !outcome.printed().contains("verification"), outcome.printed());
    }

    /** Ints 0 and 9 of 10 are looked at in each step, the others at the end or when all are asked for. */
    @ParameterizedTest
    @CsvSource({"end, 4, 0, 1", "end, 4, 9, 1", "end, 4, 5, 0", "end, 8, 5, 1", "steps, 4, 5, 1", "off, 8, 0, 0"})
    void shouldFindADamagedMessage(String verification, int step, int damagedInt, int wrong) {
        try (TestJob job = TestJob.start(Topology.parse("1"))) {
            job.run(gas -> {
                GhostExchange program = new GhostExchange();
                new CommandLine(program).setCaseInsensitiveEnumValuesAllowed(true).parseArgs("--ints", "10", "--steps",
                    "7", "--warmup", "2", "--verify", verification);
                Neighbourhood neighbourhood = Neighbourhood.faces(ProcessGrid.of(1, 2), 0);
                try (Exchange exchange = new DamagedExchange(
                    Synchronization.MAILBOX.open(gas, neighbourhood, Design.AUTO, 40, 40, 40, 40), step, 2,
                    (long) damagedInt * Integer.BYTES)) {
                    assertEquals(wrong == 0,
                        program.run(gas, new Report(System.out, false), neighbourhood, exchange));
                }
            });
        }
    }

    @Test
    void shouldRefuseOptionsThatDoNotFit() {
        JobShape job = JobShape.ONE_NODE_OF_FOUR;
        assertThrows(ParameterException.class, () -> job.run(GhostExchange::new, "--ints", "0"));
        assertThrows(ParameterException.class, () -> job.run(GhostExchange::new, "--steps", "0"));
        assertThrows(ParameterException.class, () -> job.run(GhostExchange::new, "--warmup", "-1"));
        assertThrows(ParameterException.class, () -> job.run(GhostExchange::new, "--steps", "2147483647", "--warmup",
            "20"));
        assertThrows(ParameterException.class, () -> job.run(GhostExchange::new, "--sync", "pscw", "--design",
            "immediate-opt"));
        assertThrows(ParameterException.class, () -> job.run(GhostExchange::new, "--design", "immediate"));
        assertThrows(ParameterException.class, () -> job.run(GhostExchange::new, "--sync", "mailbox", "--design",
            "deferred"));
    }
}
