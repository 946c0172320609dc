package org.tributary.it;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectIteration;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs tests of other modules on a virtual machine: classes, or {@code class#method(types)@0,2} for the first and third
 * row of a parameterized test, as arguments.
 */
final class MachineTests implements TestExecutionListener {
    /** Of tests that are about machines which lack what this one has, or about other providers of libfabric. */
    private static final List<String> NOT_MEANT = List.of("this kernel can", "provider shm is not tested",
        "an adapter chooses its keys itself", "other adapters ");

    private final List<String> problems = new ArrayList<>();
    private int passed;

    public static void main(String[] names) {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
            .selectors(Arrays.stream(names).map(MachineTests::selector).toList())
            // Emulated processors are slow; the process that booted the machine gives up in the end.
            .configurationParameter("junit.jupiter.execution.timeout.mode", "disabled").build();
        MachineTests tests = new MachineTests();
        LauncherFactory.create().execute(request, tests);
        System.out.println("machine: " + tests.passed + " tests passed, " + tests.problems.size() + " did not");
        tests.problems.forEach(problem -> System.out.println("machine: " + problem));
        System.exit(tests.problems.isEmpty() && tests.passed > 0 ? 0 : 1);
    }

    private static DiscoverySelector selector(String name) {
        String[] parts = name.split("@");
        return parts.length == 1 ? selectClass(name)
            : selectIteration(selectMethod(parts[0]), Arrays.stream(parts[1].split(",")).mapToInt(Integer::parseInt)
                .toArray());
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        String problem = result.getThrowable().map(String::valueOf).orElse("");
        if (result.getStatus() == TestExecutionResult.Status.SUCCESSFUL) {
            passed += test.isTest() ? 1 : 0;
            if (test.isTest()) {
                System.out.println("machine: passed " + test.getLegacyReportingName() + " " + test.getDisplayName());
            }
        } else if (result.getStatus() != TestExecutionResult.Status.ABORTED
            || NOT_MEANT.stream().noneMatch(problem::contains)) {
            problems.add(test.getUniqueId() + ": " + problem);
            result.getThrowable().ifPresent(Throwable::printStackTrace);
        }
    }
}
