package org.tributary.site;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.SimpleFileServer;
import java.io.File;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.openqa.selenium.JavascriptExecutor;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.WebDriverWait;

/** A browser that sees the site, served on the loopback interface, and no other host. */
final class Browser implements AutoCloseable {
    private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
    private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
    /** It warns of a version of Chromium for which it has not every command. */
    private static final Logger SELENIUM = Logger.getLogger("org.openqa.selenium");
    private static final Duration DEADLINE = Duration.ofSeconds(60);

    private final HttpServer server;
    private final ChromeDriver driver;

    Browser(Path site, Path profile) throws Exception {
        server = SimpleFileServer.createFileServer(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            site.toRealPath(), SimpleFileServer.OutputLevel.NONE);
        server.start();
        SELENIUM.setLevel(Level.SEVERE);
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        logs.enable(LogType.PERFORMANCE, Level.ALL);
        ChromeOptions options = new ChromeOptions().setBinary(CHROMIUM.toFile()).addArguments("--headless=new",
            "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--window-size=1280,900",
            "--user-data-dir=" + profile, "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1");
        options.setCapability("goog:loggingPrefs", logs);
        driver = start(options);
    }

    private ChromeDriver start(ChromeOptions options) {
        try {
            return new ChromeDriver(new ChromeDriverService.Builder().usingDriverExecutable(DRIVER.toFile())
                .usingAnyFreePort().withLogFile(new File("/dev/null")).build(), options);
        } catch (RuntimeException e) {
            server.stop(0);
            throw e;
        }
    }

    static boolean isInstalled() {
        return Files.isExecutable(CHROMIUM) && Files.isExecutable(DRIVER);
    }

    String base() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    ChromeDriver driver() {
        return driver;
    }

    void open(String path) {
        driver.get(base() + path);
    }

    /** The value of a script, once it satisfies a condition. */
    <T> T await(Class<T> type, String script, Predicate<T> condition) {
        return new WebDriverWait(driver, DEADLINE).withMessage(script).until(any -> {
            T value = type.cast(((JavascriptExecutor) driver).executeScript("return " + script));
            return value != null && condition.test(value) ? value : null;
        });
    }

    void awaitTrue(String script) {
        await(Boolean.class, script, value -> value);
    }

    @SuppressWarnings("unchecked")
    List<String> strings(String script) {
        return (List<String>) driver.executeScript("return " + script);
    }

    /** The console has no error since the last time, and the pages have asked no other host for anything. */
    void assertQuiet() {
        assertEquals(List.of(), driver.manage().logs().get(LogType.BROWSER).getAll().stream()
            .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue()).map(LogEntry::toString).toList());
        assertEquals(List.of(), driver.manage().logs().get(LogType.PERFORMANCE).getAll().stream()
            .map(LogEntry::getMessage).filter(message -> message.contains("\"Network.requestWillBeSent\""))
            .filter(message -> message.matches("(?s).*\"url\":\"(https?|wss?)://(?!127\\.0\\.0\\.1:).*")).toList());
    }

    void setDark(boolean dark) {
        driver.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features",
            List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
    }

    @Override
    public void close() {
        try {
            driver.quit();
        } finally {
            server.stop(0);
        }
    }
}
