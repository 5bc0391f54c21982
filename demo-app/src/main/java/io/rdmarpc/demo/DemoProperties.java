package io.rdmarpc.demo;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the demo.
 *
 * @param seconds Seconds that the client measures, warm-up not counted.
 * @param callers Callers at a time in the concurrent part.
 * @param readyFile File that a server writes its ports to when it can be called.
 * @param httpUrl Where the page's process finds the server's HTTP interface; when not set, in its own process.
 */
@ConfigurationProperties("demo")
record DemoProperties(
        @DefaultValue("8") int seconds,
        @DefaultValue("16") int callers,
        @Nullable Path readyFile,
        @Nullable String httpUrl) {}
