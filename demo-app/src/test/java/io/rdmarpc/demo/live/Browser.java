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

/** The Chromium of this machine, without a window; Playwright's own browsers are not downloaded. */
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
                        // Its sandbox wants rights that containers and root do not have; it sees our own page only.
                        .setChromiumSandbox(false));
    }

    /** Skips the test where there is no browser, unless one was promised. */
    static Browser open() {
        Optional<Path> executable = find();
        assumeTrue(
                executable.isPresent(),
                "there is no Chromium here: config/browser/prepare --install gets one, or set DEMO_BROWSER");
        return new Browser(executable.get());
    }

    /** As in config/browser/prepare. */
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

    /** As users have it: with the page's own content policy. */
    Page page(String url, int width, int height, ColorScheme colours) {
        return open(url, options(width, height, colours), _ -> {});
    }

    /** With a script of the test's own that is there before the page's. */
    Page watchedPage(String url, String script) {
        return open(url, options(1280, 900, ColorScheme.LIGHT), page -> page.addInitScript(script));
    }

    /** Without the content policy, for the script of the accessibility check. */
    Page pageForScripts(String url, int width, int height, ColorScheme colours) {
        return open(url, options(width, height, colours).setBypassCSP(true), _ -> {});
    }

    private static NewContextOptions options(int width, int height, ColorScheme colours) {
        return new NewContextOptions().setViewportSize(width, height).setColorScheme(colours);
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
                complaints.add("asked another server: " + request.url());
            }
        });
        page.navigate(url);
        return page;
    }

    /** What the console has said, and requests to other servers. */
    List<String> complaints() {
        return complaints;
    }

    @Override
    public void close() {
        chromium.close();
        playwright.close();
    }
}
