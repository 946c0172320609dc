package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openqa.selenium.By;
import org.openqa.selenium.NoSuchElementException;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** The page of a job of processes: in a browser, from {@code tributary dashboard}, and when its port is taken. */
@Timeout(value = 600, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DashboardPageTest {
    private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
    private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
    private static final Pattern ADDRESS = Pattern.compile("(http://127\\.0\\.0\\.1:\\d+/\\w+/)");
    private static final long START_S = Running.DEADLINE_S;
    /** It tells that it does not know the newest protocol for debuggers, which nobody uses here. */
    private static final Logger SELENIUM = Logger.getLogger("org.openqa.selenium");

    /** One for all tests. */
    private static ChromeDriver browser;
    private static Place home;

    private final Place place = new Place();
    private final Path end = place.work().resolve("end");

    @AfterEach
    void close() {
        place.close();
    }

    @AfterAll
    static void quit() {
        if (browser != null) {
            browser.quit();
        }
        if (home != null) {
            home.close();
        }
    }

    /** Two ranks of two nodes, which add and read until there is the file. */
    private Running run(String... options) {
        List<String> words = new ArrayList<>(List.of("run", "--nodes", "2"));
        words.addAll(List.of(options));
        words.addAll(List.of("--class-path", classes(), Program.class.getName(), "until", end.toString()));
        return place.tributary(words.toArray(String[]::new));
    }

    private static String classes() {
        return Path.of(Program.class.getProtectionDomain().getCodeSource().getLocation().getPath()).toString();
    }

    private static String address(String printed) {
        Matcher matcher = ADDRESS.matcher(printed);
        return matcher.find() ? matcher.group(1) : null;
    }

    /** At the page of a job. */
    private static void look(Running job) {
        browser.get("about:blank");
        browser.manage().logs().get(LogType.BROWSER); // whatever the page before has had to say
        browser.get(address(job.err()));
    }

    private static void openBrowser() {
        assumeTrue(Files.isExecutable(CHROMIUM) && Files.isExecutable(DRIVER),
            "no browser here (packages chromium and chromium-driver)");
        if (browser != null) {
            return;
        }
        home = home == null ? new Place() : home;
        SELENIUM.setLevel(Level.SEVERE);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(CHROMIUM.toFile());
        options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--window-size=1400,1400", "--user-data-dir=" + home.work().resolve("browser"));
        LoggingPreferences console = new LoggingPreferences();
        console.enable(LogType.BROWSER, Level.ALL);
        options.setCapability("goog:loggingPrefs", console);
        ChromeDriverService driver = new ChromeDriverService.Builder().usingDriverExecutable(DRIVER.toFile())
            .withEnvironment(Map.of("TMPDIR", home.work().toString(), "HOME", home.work().toString())).build();
        browser = new ChromeDriver(driver, options);
    }

    private void await(String what, String css, String regex) {
        String[] last = {""};
        place.await(what + " is not on the page", () -> {
            try {
                WebElement found = browser.findElement(By.cssSelector(css));
                last[0] = found.getText();
                return Pattern.compile(regex, Pattern.DOTALL).matcher(last[0]).matches();
            } catch (NoSuchElementException | StaleElementReferenceException e) {
                return false; // the page changes while it is looked at
            }
        });
    }

    /** Background, a panel, text, and an axis of a plot, light and dark. */
    private static void lookInTheDark() throws IOException {
        browser.executeCdpCommand("Emulation.setEmulatedMedia",
            Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", "light"))));
        for (String of : List.of("body", "section", "header", "button")) {
            assertTrue(brightness(of, "backgroundColor") > brightness(of, "color") + 100, of);
        }
        picture("light.png");
        browser.executeCdpCommand("Emulation.setEmulatedMedia",
            Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", "dark"))));
        for (String of : List.of("body", "section", "header", "button")) {
            assertTrue(brightness(of, "backgroundColor") < 64, of);
            assertTrue(brightness(of, "color") > 180, of);
        }
        picture("dark.png");
    }

    /** From 0 to 255, of what the browser has made of the style. */
    private static long brightness(String css, String what) {
        return (long) browser.executeScript("const parts = getComputedStyle(document.querySelector(arguments[0]))"
            + "[arguments[1]].match(/\\d+/g).map(Number); return Math.round((parts[0] + parts[1] + parts[2]) / 3);",
            css, what);
    }

    /** For people; the build looks at colours only. */
    private static void picture(String name) throws IOException {
        Path folder = Files.createDirectories(Path.of("target", "dashboard"));
        Files.write(folder.resolve(name), browser.getScreenshotAs(OutputType.BYTES));
    }

    /** A click on a cell of nodes shows their ranks, one on a cell of ranks these two, and all is to be had again. */
    private void zoom() {
        await("the matrix of nodes", "#matrix-what", "by nodes");
        clickCell(4);
        await("the matrix of ranks", "#matrix-what", "by ranks");
        awaitCells(4);
        assertEquals(2, labels("row") - 1, "the ranks of one node"); // one label is the corner
        browser.findElement(By.id("matrix-all")).click();
        await("the matrix of nodes", "#matrix-what", "by nodes");
        awaitCells(4);
        browser.findElement(By.id("matrix-level")).click();
        await("the matrix of ranks", "#matrix-what", "by ranks");
        awaitCells(16);
    }

    private void clickCell(int cells) {
        awaitCells(cells);
        place.await("no cell to click", () -> {
            try {
                browser.findElement(By.cssSelector("#matrix i[data-rate*=operations]")).click();
                return true;
            } catch (NoSuchElementException | StaleElementReferenceException e) {
                return false; // no rate yet
            }
        });
    }

    private void awaitCells(long count) {
        place.await("not " + count + " cells", () ->
            browser.findElements(By.cssSelector("#matrix i")).size() == count);
    }

    private static int labels(String kind) {
        return browser.findElements(By.cssSelector("#matrix span." + kind)).size();
    }

    @Test
    void shouldShowTheJobWhenABrowserLooks() throws Exception {
        openBrowser();
        Running job = run("--ranks-per-node", "2", "--set", "cooperation.mode=combine", "--set",
            "cooperation.scope=node", "--dashboard");
        job.awaitLine(".*ready rank 0 pid.*", START_S);
        look(job);
        await("the state", "#state", "runs");
        await("the job", "#job", "job \\S+ · 2 nodes · layout 2\\*2 · .*");
        await("a rate", "#total-requests", "[1-9].*");
        await("how many ranks", "#total-ranks", "4");
        await("the rings", "#total-rings", "[1-9].*");
        await("an operation", "#operations", ".*put [1-9].* MiB.*");
        for (String call : List.of("fence", "barrier", "collective")) {
            await("a time", "#latencies", ".*" + call + " [1-9].* (ms|µs|s)");
        }
        await("a node", "#nodes", ".*\n1 runs .*");
        await("who is asked most", "#hot", ".*\n[0-3] [01] [1-9].*");
        await("what is plotted", "#plot-requests", ".*accumulate.*");
        lookInTheDark();
        zoom();
        assertEquals("", browser.findElement(By.id("problems")).getText());
        List<LogEntry> console = browser.manage().logs().get(LogType.BROWSER).getAll();
        assertEquals(List.of(), console);
        Files.createFile(end);
        await("the end", "#state", "the job has ended");
        assertEquals(0, job.exitCode(), job::toString);
        place.assertNothingLeft();
    }

    @Test
    void shouldShowWhoWaitsForWhomWhenTheJobHangs() throws Exception {
        openBrowser();
        Running job = place.tributary("run", "--nodes", "2", "--dashboard", "--class-path", classes(),
            HangingProgram.class.getName(), "deadlock");
        job.awaitLine(".*ready rank 1 pid.*", START_S);
        look(job);
        for (int rank = 0; rank < 2; rank++) {
            int other = 1 - rank;
            await("the wait of rank " + rank, "#waits", ".*\n" + rank + " [1-9][^\n]*s mutex 1 of rank "
                + other + ", held by rank " + other + " rank " + other + "(\n.*)?");
        }
        assertEquals("2", browser.findElement(By.id("total-waiting")).getText());
        await("that nothing moves", "#state", "in each rank a thread waits for .*");
        Place.signal("TERM", job.pid());
        await("the end", "#state", "the job has ended");
        assertEquals(143, job.exitCode(), job::toString);
        place.assertNothingLeft();
    }

    @Test
    void shouldShowAJobThatRunsWhenAskedLater() throws Exception {
        Running job = run();
        job.awaitLine(".*ready rank 1 pid.*", START_S);
        Running shown = place.tributary("dashboard");
        String url = address(shown.awaitLine("job .*: http.*", START_S).group());
        HttpURLConnection page = (HttpURLConnection) URI.create(url).toURL().openConnection();
        assertEquals(200, page.getResponseCode());
        String port = url.replaceFirst(".*:(\\d+)/.*", "$1");
        for (String wrong : List.of(port, "70000")) {
            Running refused = place.tributary("dashboard", "--port", wrong);
            assertEquals(2, refused.exitCode(START_S), refused::toString);
            assertTrue(refused.err().contains(wrong.equals(port) ? "127.0.0.1 (--address) port " + port + " (--port): "
                : "--port: 70000 is no port"), refused::toString);
        }
        Files.createFile(end);
        assertEquals(0, job.exitCode(), job::toString);
        assertEquals(0, shown.exitCode(), shown::toString);
        assertTrue(shown.out().getLast().endsWith("has ended"), shown::toString);
        place.assertNothingLeft();
    }

    @Test
    void shouldStartNothingWhenPortIsTaken() throws IOException, InterruptedException {
        try (ServerSocket taken = new ServerSocket(0)) {
            Running job = run("--dashboard=" + taken.getLocalPort());
            assertEquals(2, job.exitCode(START_S), job::toString);
            assertTrue(job.err().contains("port " + taken.getLocalPort() + " (--dashboard)"), job::toString);
            assertFalse(job.said().contains("ready rank"), job::toString);
        }
        place.assertNothingLeft();
    }

    @Test
    void shouldTellAllProblemsOfThisMachineWhenThereAreSeveral() throws IOException, InterruptedException {
        try (ServerSocket taken = new ServerSocket(0)) {
            Running job = run("--dashboard=" + taken.getLocalPort(), "--trace", "/proc/trace");
            assertEquals(2, job.exitCode(START_S), job::toString);
            assertTrue(job.err().startsWith("tributary: this machine cannot use the folder /proc/trace for traces"
                + " (--trace): "), job::toString);
            assertTrue(job.err().contains("\ntributary: dashboard: cannot listen at 127.0.0.1 (--dashboard-address)"
                + " port " + taken.getLocalPort() + " (--dashboard): "), job::toString);
        }
        place.assertNothingLeft();
    }

    @Test
    void shouldReportTheTraceFolderBesideTheProblemsOfHostsWhenItCannotBeUsed()
        throws IOException, InterruptedException {
        Running job = run("--trace", "/proc/trace", "--launch-agent", "false", "--hosts", "lost,gone");
        assertEquals(2, job.exitCode(START_S), job::toString);
        assertTrue(job.err().contains("nothing was started: 2 of 2 hosts have problems, and so has this machine\n"
            + "  this machine: cannot use the folder /proc/trace for traces (--trace): "), job::toString);
        assertTrue(job.err().contains("\n  lost: ") && job.err().contains("\n  gone: "), job::toString);
        place.assertNothingLeft();
    }

    @Test
    void shouldReportTheTakenPortBesideTheProblemsOfHostsWhenThereAreSome() throws IOException, InterruptedException {
        try (ServerSocket taken = new ServerSocket(0)) {
            Running job = run("--dashboard=" + taken.getLocalPort(), "--launch-agent", "false", "--hosts", "lost,gone");
            assertEquals(2, job.exitCode(START_S), job::toString);
            assertTrue(job.err().contains("nothing was started: 2 of 2 hosts have problems, and so has this machine\n"
                + "  this machine: dashboard: cannot listen at 127.0.0.1 (--dashboard-address) port "
                + taken.getLocalPort() + " (--dashboard): "), job::toString);
            assertTrue(job.err().contains("\n  lost: ") && job.err().contains("\n  gone: "), job::toString);
        }
        place.assertNothingLeft();
    }
}
