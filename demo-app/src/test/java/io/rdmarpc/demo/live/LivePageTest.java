package io.rdmarpc.demo.live;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.BoundingBox;
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
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.io.ClassPathResource;

/** The page in a browser. Skipped without a browser. */
@Timeout(180)
@Tag("processes")
class LivePageTest {

    private static final Pattern A_TIME = Pattern.compile("[0-9.,]+ (µs|ms|s)");
    private static final Pattern A_WINNER =
            Pattern.compile("(RDMA|gRPC|HTTP)(, [0-9.,]+× (lower|higher) than | and )(RDMA|gRPC|HTTP)( about equal)?");
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
        PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE_MILLIS + 1000 * LiveApplication.WARM_UP_SECONDS);
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
        assertThat(percentile(opened, 2)).hasText(A_TIME);
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

    /** Returns the cell with the median of a transport. */
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

    /** Returns what a chart shows. */
    private Object picture(String chart) {
        return page.evaluate("chart => document.querySelector(chart + ' canvas').toDataURL()", chart);
    }

    @ParameterizedTest
    @ValueSource(strings = {"#distribution", "#latency", "#rate", "#cpus"})
    void shouldMoveItsCharts(String chart) {
        Object before = picture(chart);
        String summary = page.locator(chart + "-summary").textContent();

        page.waitForCondition(() -> !picture(chart).equals(before));
        awaitOtherText(page.locator(chart + "-summary"), summary);
        assertThat(page.locator(chart + "-summary")).containsText("gRPC");
    }

    @Test
    void shouldNameWhatItComparesAndTheSetup() {
        assertThat(page).hasTitle("RDMA compared with gRPC and HTTP");
        assertThat(page.locator("h1")).hasText("RDMA compared with gRPC and HTTP");
        assertThat(page.locator("#setup"))
                .hasText(Pattern.compile("software RNIC soft0 over shared memory, one host, \\d+ CPUs?"));
        assertThat(page.getByRole(AriaRole.NOTE).first()).hasText("Software RNIC on one host: no network is measured.");
    }

    @Test
    void shouldNameTheBestTransportOfEachFigure() {
        Locator tiles = page.locator(".tile");
        assertThat(tiles).hasCount(6);
        for (Locator tile : tiles.all()) {
            assertThat(tile.locator(".value")).hasCount(3);
            for (Locator value : tile.locator(".value").all()) {
                assertThat(value).not().hasText("–");
            }
            assertThat(tile.locator(".winner")).hasText(A_WINNER);
        }
        Locator winners = page.locator("#percentiles tbody tr").last();
        assertThat(winners.locator("th")).hasText("winner");
        for (int column = 0; column < 7; column++) {
            assertThat(winners.locator("td").nth(column))
                    .hasText(Pattern.compile("(RDMA|gRPC|HTTP) [0-9.,]+×|about equal"));
        }
    }

    @Test
    void shouldShowTheEngineAndTheProcesses() {
        assertThat(page.locator("#device")).containsText("soft0");
        assertThat(fact("engine", "Sessions")).hasText(Pattern.compile("[1-9]\\d*"));
        assertThat(fact("engine", "Backlog")).hasText(Pattern.compile("\\d+"));
        assertThat(page.locator("#processes tbody tr:visible")).hasCount(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[12, 48, 60] | true | RDMA, 4.0× lower than gRPC | RDMA 4.0×",
                "[12, 48, 60] | false | HTTP, 1.3× higher than gRPC | HTTP 1.3×",
                "[99, 10, 10.1] | true | gRPC and HTTP about equal | about equal",
                "[NaN, 10, 2000] | true | gRPC, 200× lower than HTTP | gRPC 200×",
                "[NaN, 10, 0] | true | '' | –"
            })
    void shouldFindTheWinner(String values, boolean lower, String phrase, String brief) {
        Object found = page.evaluate("""
                import("/js/winner.js").then(({ winner, phrase, brief }) => {
                  const names = ["RDMA", "gRPC", "HTTP"];
                  const won = winner(%s, %s);
                  return [phrase(won, names, %2$s), brief(won, names)];
                })""".formatted(values, lower));

        assertThat(found).isEqualTo(List.of(phrase, brief));
    }

    @Test
    void whenSettingsChangeThenFiguresAreDimmedUntilItIsWarm() {
        slide("callers", 1);

        assertThat(status(page)).hasText("Warming up");
        assertThat(page.locator("#status-seconds")).hasText(Pattern.compile("\\d s"));
        assertThat(page.locator("#summary-note")).containsText("of at most " + LiveApplication.WARM_UP_SECONDS + " s");
        assertThat(page.locator("body")).hasClass("warming-up");
        assertThat(button("Copy as CSV")).isDisabled();

        assertThat(status(page)).hasText("Running");
        assertThat(page.locator("body")).not().hasClass("warming-up");
        assertThat(button("Copy as CSV")).isEnabled();
        slide("callers", 2);
        awaitSettings(LoadSettings.FIRST);
    }

    @Test
    void whenAChartHasTheFocusThenArrowKeysMoveItsCursor() {
        Locator chart = page.locator("#latency");
        Locator spoken = page.locator("#announcer");
        chart.focus();
        chart.press("ArrowLeft");
        assertThat(spoken).hasText(Pattern.compile("now, RDMA p50 .*HTTP p99 .*"));
        assertThat(chart.locator(".tip")).containsText("gRPC p50");
        chart.press("ArrowLeft");
        assertThat(spoken).hasText(Pattern.compile("1 s ago,.*"));
        chart.press("ArrowRight");
        assertThat(spoken).hasText(Pattern.compile("now,.*"));
        chart.press("Escape");
        assertThat(chart.locator(".tip")).isHidden();

        page.locator("#distribution").focus();
        page.locator("#distribution").press("ArrowRight");
        assertThat(spoken).hasText(Pattern.compile("[0-9.]+ (µs|ms) to [0-9.]+ (µs|ms), RDMA .* %, gRPC .*"));
    }

    @Test
    void whenThePointerIsOnAChartThenATooltipShowsTheFigures() {
        Locator chart = page.locator("#rate");
        chart.scrollIntoViewIfNeeded();
        BoundingBox box = chart.boundingBox();
        page.mouse().move(box.x + box.width - 20, box.y + box.height / 2);

        assertThat(chart.locator(".tip")).containsText(Pattern.compile("RDMA +[0-9,]+"));
        page.mouse().move(1, 1);
        assertThat(chart.locator(".tip")).isHidden();
    }

    @Test
    void whenResultsAreCopiedThenTheClipboardHasThemWithTheirSetup() {
        page.context().grantPermissions(List.of("clipboard-read", "clipboard-write"));
        button("Copy as Markdown").click();
        assertThat(page.locator("#copy-status")).hasText("Copied as Markdown.");
        assertThat(clipboard())
                .contains(
                        "RDMA compared with gRPC and HTTP: software RNIC soft0",
                        "Load: place an order (sync), transports alternate, 4 callers, 128 B payload, no injected loss",
                        "Note: Software RNIC on one host")
                .contains("| transport | p50 µs |")
                .containsPattern("\n\\| gRPC \\| [0-9.]+ \\|");

        button("Copy as CSV").click();
        assertThat(page.locator("#copy-status")).hasText("Copied as CSV.");
        assertThat(clipboard())
                .startsWith("# RDMA compared with gRPC and HTTP: software RNIC soft0")
                .containsPattern("\ntransport,p50 µs,.*\nRDMA,[0-9.]+,.*\ngRPC,[0-9.]+,.*\nHTTP,[0-9.]+,");
    }

    private String clipboard() {
        return (String) page.evaluate("navigator.clipboard.readText()");
    }

    @Test
    void whenTheClipboardIsNotAvailableThenTheTextIsSelected() {
        page.context().close();
        page = awaitAnswers(browser.watchedPage(
                application.url(), "Object.defineProperty(navigator, 'clipboard', { value: undefined })"));
        button("Copy as CSV").click();

        Locator text = page.locator("#copy-text");
        assertThat(text).isFocused();
        assertThat(text).hasValue(Pattern.compile("# RDMA compared with gRPC and HTTP: .*"));
        assertThat(page.evaluate("getSelection().toString()").toString()).contains("transport,p50 µs");
        button("Close").click();
        assertThat(text).isHidden();
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

        choose("schedule", "GRPC");
        awaitSettings(new LoadSettings(Workload.REPORT, Schedule.GRPC, 4, 128, 0));
        assertThat(page.locator(".tile .winner").first()).hasText("gRPC only");

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
        Locator lossNote =
                page.getByRole(AriaRole.NOTE).filter(new Locator.FilterOptions().setHasText("Injected loss"));
        awaitText(lossNote, "Injected loss of 10 % affects RDMA only.");

        Locator retransmissions = fact("reliability", "Retransmissions");
        awaitOtherText(retransmissions, "0");
        awaitOtherText(retransmissions, retransmissions.textContent());

        slide("loss", 0);
        awaitSettings(LoadSettings.FIRST);
        awaitText(fact("device", "Link"), "shared memory");
        assertThat(lossNote).hasCount(0);
    }

    /**
     * Writes a screenshot for the documentation if the property {@code demo.screenshot} names a file. Otherwise it is
     * skipped, because it takes most of two minutes and changes a file of the repository.
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
        // The page traces one call automatically once all transports have made enough calls.
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
