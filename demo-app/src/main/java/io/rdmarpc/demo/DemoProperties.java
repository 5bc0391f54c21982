package io.rdmarpc.demo;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the demo application.
 *
 * @param seconds How long the client measures in seconds, without the warm-up.
 * @param callers Number of concurrent callers in the concurrent part.
 * @param readyFile File to which a server writes its ports as soon as clients can call it.
 * @param httpUrl URL of the server's HTTP interface for the process of the page. Not set: the page's own process.
 * @param transport Transport of a process that the comparison started: rdma, grpc or http.
 * @param serverPort Port of the server for a client that the comparison started.
 */
@ConfigurationProperties("demo")
public record DemoProperties(
        @DefaultValue("8") int seconds,
        @DefaultValue("16") int callers,
        @Nullable Path readyFile,
        @Nullable String httpUrl,
        @DefaultValue("rdma") Transport transport,
        @DefaultValue("0") int serverPort) {}
