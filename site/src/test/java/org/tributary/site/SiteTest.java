package org.tributary.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;

/** The site as a reader sees it, in a browser. */
@Timeout(value = 600, unit = TimeUnit.SECONDS)
class SiteTest {
    private static final Path SITE = Path.of("target", "site");

    @TempDir
    private static Path profile;
    private static Browser browser;

    @BeforeAll
    static void open() throws Exception {
        assertTrue(Files.isRegularFile(SITE.resolve("index.html")), "no site; mvn -B -Psite package makes it");
        assumeTrue(Browser.isInstalled(), "no browser: apt-get install chromium chromium-driver");
        browser = new Browser(SITE, profile);
    }

    @AfterAll
    static void close() {
        if (browser != null) {
            browser.close();
        }
    }

    private static List<String> pages() throws IOException {
        try (Stream<Path> files = Files.walk(SITE)) {
            return files.map(file -> SITE.relativize(file).toString())
                .filter(file -> file.endsWith(".html") && !file.startsWith("javadoc/") && !file.equals("404.html"))
                .sorted().toList();
        }
    }

    @Test
    void shouldShowEveryPageAndHaveNoBrokenLinkWhenOpened() throws IOException {
        Set<String> links = new TreeSet<>();
        List<String> pages = pages();
        assertTrue(pages.containsAll(List.of("index.html", "CHANGELOG.html", "docs/guide.html", "docs/protocol.html",
            "docs/results/one-sided.html")), pages::toString);
        for (String page : pages) {
            browser.open(page);
            browser.awaitTrue("document.querySelector('.vp-doc h1') !== null && document.readyState === 'complete'");
            browser.awaitTrue("[...document.querySelectorAll('.vp-doc img')].every(i => i.naturalWidth > 0)");
            browser.awaitTrue("[...document.querySelectorAll('.vp-doc .mermaid')].every(m => m.querySelector('svg'))");
            links.addAll(browser.strings("[...document.querySelectorAll('a[href]')].map(a => a.href)"));
            browser.assertQuiet();
        }
        links.removeIf(link -> !link.startsWith(browser.base()));
        assertTrue(links.size() > pages.size(), links::toString);
        List<String> broken = new ArrayList<>();
        for (String link : links) {
            if (!leadsSomewhere(URI.create(link))) {
                broken.add(link);
            }
        }
        assertEquals(List.of(), broken);
    }

    private static boolean leadsSomewhere(URI link) throws IOException {
        String path = link.getPath().substring(1);
        Path file = SITE.resolve(path.isEmpty() || path.endsWith("/") ? path + "index.html" : path);
        file = Files.exists(file) ? file : SITE.resolve(path + ".html");
        return Files.isRegularFile(file) && (link.getRawFragment() == null || Files.readString(file).contains(
            " id=\"" + URLDecoder.decode(link.getRawFragment(), StandardCharsets.UTF_8) + "\""));
    }

    @Test
    void shouldFindAWordWhenSearched() {
        browser.open("index.html");
        browser.awaitTrue("document.querySelector('.VPNavBarSearch button') !== null");
        browser.driver().findElement(By.cssSelector(".VPNavBarSearch button")).click();
        browser.awaitTrue("document.querySelector('#localsearch-input') !== null");
        browser.driver().findElement(By.cssSelector("#localsearch-input")).sendKeys("fence");
        browser.awaitTrue("document.querySelectorAll('#localsearch-list a.result').length > 1");
        browser.driver().findElement(By.cssSelector("#localsearch-input")).sendKeys(Keys.ENTER);
        browser.awaitTrue("document.querySelector('#localsearch-input') === null"
            + " && document.querySelector('.vp-doc').textContent.toLowerCase().includes('fence')");
        browser.assertQuiet();
    }

    @Test
    void shouldOpenTheJavadocOfGasWhenAReaderGoesThere() {
        browser.open("docs/guide.html");
        browser.awaitTrue("document.querySelector('.VPNavBarMenu a[href=\"/javadoc/index.html\"]') !== null");
        browser.driver().findElement(By.cssSelector(".VPNavBarMenu a[href='/javadoc/index.html']")).click();
        browser.awaitTrue("document.querySelector('a[href=\"org/tributary/client/package-summary.html\"]') !== null");
        browser.open("javadoc/org/tributary/client/Gas.html");
        browser.awaitTrue("document.title.startsWith('Gas') && document.body.textContent.includes('fenceAll')");
        browser.assertQuiet();
    }

    @Test
    void shouldFollowTheReadersColours() {
        String background = "getComputedStyle(document.body).backgroundColor";
        browser.setDark(false);
        browser.open("docs/guide.html");
        browser.awaitTrue("!document.documentElement.classList.contains('dark')");
        String light = browser.await(String.class, background, colour -> !colour.isEmpty());
        browser.setDark(true);
        browser.open("docs/guide.html");
        browser.awaitTrue("document.documentElement.classList.contains('dark')");
        assertNotEquals(light, browser.await(String.class, background, colour -> !colour.isEmpty()));
        browser.setDark(false);
    }
}
