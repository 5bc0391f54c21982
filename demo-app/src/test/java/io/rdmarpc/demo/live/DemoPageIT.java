package io.rdmarpc.demo.live;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.microsoft.playwright.CDPSession;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import io.rdmarpc.demo.live.side.SoftLink;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIf;

/** The page of {@code ./demo --web} with the jar, in two processes and in one. Skipped without a browser. */
@Timeout(3600)
@Tag("processes")
class DemoPageIT {

    /** How long the page stays open in seconds, for example {@code -Drdma.test.page-seconds=1800}. */
    private static final int SECONDS = Integer.getInteger("rdma.test.page-seconds", 10);

    /** Warm-up, until the charts have their full length and the JIT compilers have finished, if the time suffices. */
    private static final int WARM_UP_SECONDS = Math.min(150, SECONDS / 3);

    private static final String LONGEST_WARM_UP_SECONDS = "5";

    private static final double MOST_GROWTH_MIB = 5;
    /** Limit for the time between updates, which come once a second. */
    private static final double LONGEST_SILENCE_MILLIS = 5000;
    /** Limit for a pause, during which the page does not react to clicks. */
    private static final double LONGEST_PAUSE_MILLIS = 1000;

    private static final double PATIENCE_MILLIS = 60_000;
    private static final double MILLIS = 1000;
    private static final double MEBIBYTE = 1 << 20;
    private static final Pattern A_TIME = Pattern.compile("[0-9.,]+ (µs|ms|s)");
    private static final Pattern WITHOUT_DEVICE = Pattern.compile("no RDMA device|libibverbs");

    /**
     * A script that records the longest time without a timer event, and the longest time without a change of the calls.
     */
    private static final String WATCH = """
            globalThis.watch = { pause: 0, silence: 0, updates: 0 };
            {
              const tick = 50;
              let last = performance.now(), changed = last, calls = "";
              setInterval(() => {
                const now = performance.now();
                const text = document.querySelector("#percentiles tbody td:nth-of-type(8)")?.textContent ?? "";
                watch.pause = Math.max(watch.pause, now - last - tick);
                watch.silence = Math.max(watch.silence, now - changed);
                last = now;
                if (text !== calls) {
                  calls = text;
                  changed = now;
                  watch.updates++;
                }
              }, tick);
            }
            """;

    private Browser browser;
    private StartedDemo demo;
    private Page page;

    @BeforeEach
    void openBrowser() {
        PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE_MILLIS);
        browser = Browser.open();
    }

    @AfterEach
    void close() throws InterruptedException {
        if (browser != null) {
            browser.close();
        }
        if (demo != null) {
            demo.close();
        }
    }

    private void open(String... options) throws IOException {
        List<String> all = new ArrayList<>(List.of("--warm-up", LONGEST_WARM_UP_SECONDS));
        all.addAll(List.of(options));
        demo = StartedDemo.start(all.toArray(String[]::new));
        page = browser.watchedPage(demo.url(), WATCH);
        assertThat(page.locator("#status-text")).hasText("Running");
    }

    /** Returns the value for a term in a list of facts. */
    private Locator fact(String list, String word) {
        return page.locator("#" + list + " dt", new Page.LocatorOptions().setHasText(Pattern.compile("^" + word + "$")))
                .locator("xpath=following-sibling::dd[1]");
    }

    private Locator processes() {
        return page.locator("#processes tbody tr:visible");
    }

    private void assertShowsMovingFigures() {
        for (String chart : List.of("#distribution", "#latency", "#rate", "#cpus")) {
            Locator summary = page.locator(chart + "-summary");
            assertThat(summary).containsText("gRPC");
            assertThat(summary).not().hasText(summary.textContent());
        }
        for (String word : List.of("Sessions", "Window", "Peak backlog")) {
            assertThat(fact("engine", word)).hasText(Pattern.compile("\\d.*"));
        }
    }

    private void traceACall() {
        page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Trace a call"))
                .click();
        Locator rows = page.locator("#trace-view tbody tr");
        assertThat(rows).hasCount(Stage.values().length);
        for (Locator row : rows.all()) {
            assertThat(row.locator("td").nth(1)).hasText(A_TIME);
        }
    }

    private void assertNoComplaints() {
        assertThat(browser.complaints()).as("console messages").isEmpty();
    }

    @Test
    void whenItRunsInOneProcessThenItShowsOneThatAnswers() throws IOException {
        open("--one-process");

        assertThat(processes()).hasCount(1);
        assertShowsMovingFigures();
        traceACall();
        assertNoComplaints();
    }

    @Test
    void whenPacketsAreLostByTheCommandLineThenThePageSaysSo() throws IOException {
        open("--provider", "soft", "--rdma.soft.faults.loss=0.02");

        assertThat(page.locator("#loss-value")).hasText("2 %");
        assertThat(fact("device", "Link")).hasText(SoftLink.UDP);
        assertThat(fact("reliability", "Retransmissions")).not().hasText("0");
        assertNoComplaints();
    }

    /** Disabled on hosts with an RDMA device, because the demo then uses the device and shows no such reason. */
    @Test
    @DisabledIf("io.rdmarpc.demo.DemoApplicationTest#hasRdmaDevice")
    void whenThereIsNoRdmaDeviceThenItSaysSoAndWhyTheSoftwareRnicIsInUse() throws IOException {
        open();

        assertThat(fact("device", "Provider")).hasText("software RNIC");
        assertThat(fact("device", "Selection")).containsText(WITHOUT_DEVICE);
        assertNoComplaints();
    }

    @Test
    void whenItIsOpenUnderLoadThenItNeitherStallsNorGrows() throws IOException {
        open();
        assertThat(processes()).hasCount(2);
        assertShowsMovingFigures();
        traceACall();

        CDPSession devTools = page.context().newCDPSession(page);
        devTools.send("HeapProfiler.enable");
        // Waits by the clock, because the test measures growth and stalls over the time for which the page is open.
        page.waitForTimeout(WARM_UP_SECONDS * MILLIS);
        double before = heapMebibytes(devTools);
        evaluate(devTools, "watch.pause = watch.silence = watch.updates = 0");
        page.waitForTimeout((SECONDS - WARM_UP_SECONDS) * MILLIS);
        double pause = evaluate(devTools, "watch.pause");
        double silence = evaluate(devTools, "watch.silence");
        double updates = evaluate(devTools, "watch.updates");
        double after = heapMebibytes(devTools);

        System.out.printf(
                "DemoPageIT: open for %d s; heap after collection %.2f MiB at %d s, %.2f MiB at the end; %.0f updates,"
                        + " longest time between updates %.0f ms; longest pause %.0f ms%n",
                SECONDS, before, WARM_UP_SECONDS, after, updates, silence, pause);
        assertThat(after - before).as("MiB that the heap has grown").isLessThan(MOST_GROWTH_MIB);
        assertThat(silence).as("longest time between two updates, ms").isLessThan(LONGEST_SILENCE_MILLIS);
        assertThat(pause).as("longest pause of the page, ms").isLessThan(LONGEST_PAUSE_MILLIS);
        assertThat(updates).isGreaterThan((SECONDS - WARM_UP_SECONDS) / 2.0);
        assertNoComplaints();
    }

    /** Returns the used heap in MiB after two garbage collections. */
    private static double heapMebibytes(CDPSession devTools) {
        devTools.send("HeapProfiler.collectGarbage");
        devTools.send("HeapProfiler.collectGarbage");
        return devTools.send("Runtime.getHeapUsage").get("usedSize").getAsDouble() / MEBIBYTE;
    }

    /** Evaluates a script by the developer tools, to which the page's content policy does not apply. */
    private static double evaluate(CDPSession devTools, String expression) {
        JsonObject arguments = new JsonObject();
        arguments.addProperty("expression", expression);
        return devTools.send("Runtime.evaluate", arguments)
                .getAsJsonObject("result")
                .get("value")
                .getAsDouble();
    }
}
