package io.rdmarpc.demo.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.options.ColorScheme;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The Chromium of this machine in headless mode. Playwright's own browsers are not downloaded. */
final class Browser implements AutoCloseable {

    private final Playwright playwright;
    private final com.microsoft.playwright.Browser chromium;
    private final List<String> complaints = new ArrayList<>();

    private Browser(Path executable) {
        playwright = Playwright.create(
                new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        chromium = playwright
                .chromium()
                .launch(new BrowserType.LaunchOptions()
                        .setExecutablePath(executable)
                        // The sandbox needs rights that containers and root lack. Chromium opens only the page under
                        // test.
                        .setChromiumSandbox(false));
    }

    /**
     * Starts Chromium. Skips the test if there is none, because a build must not require a browser. If
     * {@code DEMO_BROWSER} names one that is missing, the test fails instead.
     */
    static Browser open() {
        Optional<Path> executable = find();
        assumeTrue(
                executable.isPresent(),
                "no Chromium found: run config/browser/prepare --install, or set DEMO_BROWSER to its path");
        return new Browser(executable.get());
    }

    /** Searches for Chromium as config/browser/prepare does. */
    private static Optional<Path> find() {
        String chosen = System.getenv("DEMO_BROWSER");
        if (chosen != null && !chosen.isEmpty()) {
            Path promised = Path.of(chosen);
            assertThat(promised).as("DEMO_BROWSER").isExecutable();
            return Optional.of(promised);
        }
        List<String> names = List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .flatMap(directory -> names.stream().map(name -> Path.of(directory, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Opens the page as a user does, with the page's own content policy. */
    Page page(String url, int width, int height, ColorScheme colors) {
        return open(url, options(width, height, colors), _ -> {});
    }

    /** Opens the page after installing a script of the test. */
    Page watchedPage(String url, String script) {
        return open(url, options(1280, 900, ColorScheme.LIGHT), page -> page.addInitScript(script));
    }

    /** Opens the page without its content policy, so that the test can run the script of the accessibility check. */
    Page pageForScripts(String url, int width, int height, ColorScheme colors) {
        return open(url, options(width, height, colors).setBypassCSP(true), _ -> {});
    }

    private static NewContextOptions options(int width, int height, ColorScheme colors) {
        return new NewContextOptions().setViewportSize(width, height).setColorScheme(colors);
    }

    private Page open(String url, NewContextOptions options, Consumer<Page> preparation) {
        Page page = chromium.newContext(options).newPage();
        preparation.accept(page);
        page.onConsoleMessage(message -> {
            if (message.type().equals("error") || message.type().equals("warning")) {
                complaints.add(message.type() + ": " + message.text());
            }
        });
        page.onPageError(error -> complaints.add("error: " + error));
        page.onRequest(request -> {
            if (!request.url().startsWith(url) && !request.url().startsWith("data:")) {
                complaints.add("request to another server: " + request.url());
            }
        });
        page.navigate(url);
        return page;
    }

    /** Returns errors and warnings of the console, and requests to other servers. */
    List<String> complaints() {
        return complaints;
    }

    @Override
    public void close() {
        chromium.close();
        playwright.close();
    }
}
