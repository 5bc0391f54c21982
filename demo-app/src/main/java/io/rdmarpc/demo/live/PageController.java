package io.rdmarpc.demo.live;

import io.rdmarpc.demo.live.load.LoadSettings;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.validation.Valid;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.springframework.context.annotation.Profile;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The HTTP interface of the page and its controls. */
@RestController
@RequestMapping("/api")
@Profile("page")
class PageController {

    private final LiveLoad load;
    private final Feed feed;

    PageController(LiveLoad load, Feed feed) {
        this.load = load;
        this.feed = feed;
    }

    /**
     * Sends server-sent events. The request's own virtual thread writes them, so that a page that does not read blocks
     * only that thread.
     */
    @GetMapping("/feed")
    void feed(HttpServletResponse response) throws IOException, InterruptedException {
        try (Feed.Reader reader = feed.open()) {
            if (reader == null) {
                response.sendError(HttpStatus.SERVICE_UNAVAILABLE.value(), "too many pages are open");
                return;
            }
            response.setContentType(MediaType.TEXT_EVENT_STREAM_VALUE);
            response.setCharacterEncoding(StandardCharsets.UTF_8.name());
            response.setHeader("Cache-Control", "no-store");
            send(reader, response);
        }
    }

    private static void send(Feed.Reader reader, HttpServletResponse response) throws InterruptedException {
        try {
            for (String event = reader.next(); event != null; event = reader.next()) {
                response.getOutputStream().write(event.getBytes(StandardCharsets.UTF_8));
                response.flushBuffer();
            }
        } catch (IOException e) {
            // The page was closed.
        }
    }

    @PutMapping("/settings")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void settings(@Valid @RequestBody LoadSettings settings) {
        load.runner().apply(settings);
    }

    @PostMapping("/start")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void start() {
        load.runner().start();
    }

    @PostMapping("/stop")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void stop() {
        load.runner().stop();
    }

    @PostMapping("/reset")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void reset() {
        load.runner().reset();
    }

    @PostMapping("/trace")
    List<CallTrace> trace() throws InterruptedException {
        return load.tracer().trace();
    }
}
