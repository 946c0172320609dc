package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Jobs whose processes are killed, stopped and cut off at random. {@code mvn -B verify -Pcampaign} runs 500 of them;
 * the default build a few, as a test of the harness. A job is repeated by its seed: {@code -Dcampaign.job=SEED}.
 */
@Isolated("its jobs have limits of time")
class CampaignTest {
    private static final Path DIRECTORY = Path.of("target", "campaign");
    /** The default build runs on machines that do other things. */
    private static final double SAMPLE_SLACK = 8;

    @Test
    @Tag("campaign")
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    void shouldEndEveryJobWhenAnythingBefallsIt() throws Exception {
        long seed = Long.getLong("campaign.seed", System.nanoTime() >>> 16);
        Long job = Long.getLong("campaign.job");
        String start = System.getProperty("campaign.start", "");
        run(seed, job == null ? Campaign.seeds(seed, Integer.getInteger("campaign.jobs", 500), plan ->
                (start.isEmpty() || plan.start() == CampaignPlan.Start.valueOf(start))
                    && (plan.adapter() || !Boolean.getBoolean("campaign.adapter"))) : new long[] {job},
            Integer.getInteger("campaign.lanes", 2), Double.parseDouble(System.getProperty("campaign.slack", "1")));
    }

    /** A rank is killed, the launcher is killed, a host is cut off. */
    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void shouldEndJobsWhenOneIsHitInEachWay() throws Exception {
        run(0, new long[] {
            Campaign.seedOf(plan -> !plan.launcher() && plan.isOne(CampaignPlan.Blow.KILL, CampaignPlan.Kind.RANK)),
            Campaign.seedOf(plan -> plan.start() == CampaignPlan.Start.RUN
                && plan.isOne(CampaignPlan.Blow.KILL, CampaignPlan.Kind.LAUNCHER)),
            Campaign.seedOf(plan -> !plan.launcher() && plan.isOne(CampaignPlan.Blow.CUT, CampaignPlan.Kind.HOST))}, 2,
            SAMPLE_SLACK);
    }

    @Test
    void shouldBeTheSameJobWhenSeedIsTheSame() {
        long[] seeds = Campaign.seeds(1, 100, plan -> true);
        for (long seed : seeds) {
            assertEquals(CampaignPlan.of(seed, true).toString(), CampaignPlan.of(seed, true).toString());
        }
        assertEquals(100, Arrays.stream(seeds).mapToObj(seed -> CampaignPlan.of(seed, true).toString()).distinct()
            .count());
    }

    private static void run(long seed, long[] seeds, int lanes, double slack) throws Exception {
        Files.createDirectories(DIRECTORY);
        System.out.println("campaign: -Dcampaign.seed=" + seed + " -Dcampaign.jobs=" + seeds.length
            + ", programs in C: " + CampaignJob.hasC());
        long beganNs = System.nanoTime();
        Campaign campaign = new Campaign(DIRECTORY, slack);
        List<CampaignVerdict.Outcome> outcomes = campaign.run(seeds, lanes);
        String json = System.getProperty("campaign.json", "");
        campaign.report(json.isEmpty() ? DIRECTORY.resolve("report-" + seed + ".json") : Path.of(json), seed,
            TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - beganNs));
        assertEquals(List.of(), Campaign.faults(outcomes).stream().map(outcome -> outcome.plan() + ": "
            + outcome.faults()).toList());
    }
}
