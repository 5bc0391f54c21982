package io.rdmarpc.demo.live;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ScreenshotAnimations;
import io.rdmarpc.demo.live.load.LoadSettings;
import io.rdmarpc.demo.live.load.Schedule;
import io.rdmarpc.demo.live.load.Workload;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.core.io.ClassPathResource;

/** The page in a browser. Skipped without a browser. */
@Timeout(180)
@Tag("processes")
class LivePageTest {

    private static final Pattern A_TIME = Pattern.compile("[0-9.,]+ (µs|ms|s)");
    private static final double PATIENCE_MILLIS = 30_000;
    /** Time limit for closing and reopening RDMA on a busy machine. Calls in progress end first. */
    private static final double PATIENCE_WHILE_REOPENED_MILLIS = 90_000;

    private static final int TEN_PER_CENT = 6;
    /** Waiting time before a screenshot, so that the curves fill the charts. */
    private static final double PICTURE_AFTER_MILLIS = 45_000;

    private static LiveApplication application;
    private static Browser browser;
    private Page page;

    @BeforeAll
    static void start() {
        browser = Browser.open();
        application = new LiveApplication();
        PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE_MILLIS);
    }

    @AfterAll
    static void close() {
        if (browser != null) {
            browser.close();
        }
        if (application != null) {
            application.close();
        }
    }

    @BeforeEach
    void open() {
        page = open(1280, 900, ColorScheme.LIGHT);
    }

    private static Page open(int width, int height, ColorScheme colors) {
        return awaitAnswers(browser.page(application.url(), width, height, colors));
    }

    private static Page awaitAnswers(Page opened) {
        assertThat(status(opened)).hasText("Running");
        assertThat(percentile(opened, 0)).hasText(A_TIME);
        assertThat(percentile(opened, 1)).hasText(A_TIME);
        return opened;
    }

    @AfterEach
    void closePage() {
        page.context().close();
        List<String> complaints = List.copyOf(browser.complaints());
        browser.complaints().clear();
        assertThat(complaints).as("console messages").isEmpty();
    }

    private static Locator status(Page page) {
        return page.locator("#status-text");
    }

    /** Returns the cell with the median of RDMA or HTTP. */
    private static Locator percentile(Page page, int lane) {
        return page.locator("#percentiles tbody tr").nth(lane).locator("td").first();
    }

    private Locator button(String name) {
        return page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name));
    }

    private void choose(String name, String value) {
        page.locator("input[name=" + name + "][value=" + value + "]").check();
    }

    private void slide(String id, int step) {
        page.locator("#" + id).fill(String.valueOf(step));
    }

    private void awaitSettings(LoadSettings wanted) {
        page.waitForCondition(
                () -> application.settings().equals(wanted),
                new Page.WaitForConditionOptions().setTimeout(PATIENCE_WHILE_REOPENED_MILLIS));
    }

    /** Returns the value for a term in a list of facts. */
    private Locator fact(String list, String word) {
        return page.locator("#" + list + " dt", new Page.LocatorOptions().setHasText(word))
                .locator("xpath=following-sibling::dd[1]");
    }

    private static void awaitText(Locator locator, String text) {
        assertThat(locator)
                .containsText(
                        text, new LocatorAssertions.ContainsTextOptions().setTimeout(PATIENCE_WHILE_REOPENED_MILLIS));
    }

    private static void awaitOtherText(Locator locator, String text) {
        assertThat(locator)
                .not()
                .hasText(text, new LocatorAssertions.HasTextOptions().setTimeout(PATIENCE_WHILE_REOPENED_MILLIS));
    }

    @Test
    void shouldMoveItsCharts() {
        for (String chart : List.of("#distribution .area", "#latency .line", "#rate .line", "#cpus .line")) {
            Locator path = page.locator(chart).first();
            String before = path.getAttribute("d");
            assertThat(path).not().hasAttribute("d", before);
        }
    }

    @Test
    void shouldCompareBothTransports() {
        assertThat(page.locator(".tile")).hasCount(4);
        for (Locator value : page.locator(".tile .value").all()) {
            assertThat(value).not().hasText("–");
        }
        assertThat(page.locator("#device")).containsText("soft0");
        assertThat(fact("engine", "Sessions")).hasText(Pattern.compile("[1-9]\\d*"));
        assertThat(fact("engine", "Backlog")).hasText(Pattern.compile("\\d+"));
        assertThat(page.locator("#processes tbody tr:visible")).hasCount(1);
    }

    @Test
    void whenTheLoadIsStoppedThenThePageShowsItAndCanStartAgain() {
        button("Stop").click();
        assertThat(status(page)).hasText("Stopped");
        button("Start").click();
        assertThat(status(page)).hasText("Running");
    }

    @Test
    void whenControlsAreMovedThenTheServerAppliesThem() {
        choose("workload", "PLACE_ASYNC");
        choose("schedule", "TOGETHER");
        slide("callers", 4);
        slide("payload", 4);
        awaitSettings(new LoadSettings(Workload.PLACE_ASYNC, Schedule.TOGETHER, 16, 4096, 0));
        assertThat(page.locator("#callers-value")).hasText("16 in flight");

        slide("payload", 1);
        choose("workload", "FILLS");
        choose("schedule", "TURNS");
        slide("callers", 2);
        awaitSettings(new LoadSettings(Workload.FILLS, Schedule.TURNS, 4, 128, 0));
        assertThat(page.locator("#payload")).isDisabled();

        choose("workload", "AMEND");
        choose("schedule", "RDMA");
        awaitSettings(new LoadSettings(Workload.AMEND, Schedule.RDMA, 4, 128, 0));
        choose("workload", "REPORT");
        choose("schedule", "HTTP");
        awaitSettings(new LoadSettings(Workload.REPORT, Schedule.HTTP, 4, 128, 0));

        choose("workload", "PLACE");
        choose("schedule", "TURNS");
        awaitSettings(LoadSettings.FIRST);
        assertThat(status(page)).hasText("Running");
    }

    @Test
    @Timeout(500)
    void whenLossIsInjectedThenRequestsAreRetransmitted() {
        slide("loss", TEN_PER_CENT);
        awaitSettings(new LoadSettings(Workload.PLACE, Schedule.TURNS, 4, 128, 10));
        awaitText(fact("device", "Link"), "UDP");

        Locator retransmissions = fact("reliability", "Retransmissions");
        awaitOtherText(retransmissions, "0");
        awaitOtherText(retransmissions, retransmissions.textContent());

        slide("loss", 0);
        awaitSettings(LoadSettings.FIRST);
        awaitText(fact("device", "Link"), "shared memory");
    }

    /**
     * Writes a screenshot for the documentation if the property {@code demo.screenshot} names a file. Otherwise it is
     * skipped, because it takes most of a minute and changes a file of the repository.
     */
    @Test
    @EnabledIfSystemProperty(named = "demo.screenshot", matches = ".+")
    void whenAScreenshotIsRequestedThenItIsWritten() throws IOException {
        assertThat(page.locator(".timeline")).hasCount(2);
        page.waitForTimeout(PICTURE_AFTER_MILLIS);
        Path picture = Path.of("..").resolve(System.getProperty("demo.screenshot"));

        page.screenshot(new Page.ScreenshotOptions().setPath(picture).setAnimations(ScreenshotAnimations.DISABLED));

        assertThat(picture).content(StandardCharsets.ISO_8859_1).startsWith("\u0089PNG");
        assertThat(Files.size(picture)).isBetween(20_000L, 300_000L);
    }

    @Test
    void whenACallIsTracedThenEveryStageHasATime() {
        button("Trace a call").click();

        Locator rows = page.locator("#trace-view tbody tr");
        assertThat(rows).hasCount(Stage.values().length);
        for (Locator row : rows.all()) {
            assertThat(row.locator("td").nth(1)).hasText(A_TIME);
        }
        assertThat(page.locator(".timeline")).hasCount(2);
    }

    @Test
    void whenItIsOpenForLongThenTheDocumentDoesNotGrow() {
        // The page traces one call automatically once both transports have made enough calls.
        assertThat(page.locator(".timeline")).hasCount(2);
        Object before = page.evaluate("document.querySelectorAll('*').length");
        Locator calls =
                page.locator("#percentiles tbody tr").first().locator("td").nth(7);
        for (int update = 0; update < 5; update++) {
            assertThat(calls).not().hasText(calls.textContent());
        }

        assertThat(page.evaluate("document.querySelectorAll('*').length")).isEqualTo(before);
    }

    @Test
    void whenColorsAreChosenThenTheyPersist() {
        Locator theme = page.locator("#theme");
        theme.click();
        theme.click();
        assertThat(page.locator("html")).hasAttribute("data-theme", "dark");
        page.reload();
        assertThat(page.locator("html")).hasAttribute("data-theme", "dark");
    }

    @ParameterizedTest
    @CsvSource({"1280, 900, LIGHT", "1280, 900, DARK", "390, 844, LIGHT", "390, 844, DARK"})
    void shouldBeAccessible(int width, int height, ColorScheme colors) throws IOException {
        page.context().close();
        page = awaitAnswers(browser.pageForScripts(application.url(), width, height, colors));
        button("Trace a call").click();
        assertThat(page.locator(".timeline")).hasCount(2);
        page.evaluate(axe());

        Object violations = page.evaluate(
                "axe.run().then(r => r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.target + ' ' + n.failureSummary).join(' | ')))");

        assertThat((List<?>) violations).isEmpty();
    }

    private static String axe() throws IOException {
        return new ClassPathResource("axe.min.js").getContentAsString(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource({"390", "768", "1280"})
    void shouldNotScrollSideways(int width) {
        page.setViewportSize(width, 844);

        assertThat(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
                .isEqualTo(true);
    }
}
