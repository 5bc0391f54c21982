package io.rdmarpc.demo.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.demo.DemoApplication;
import io.rdmarpc.remote.RemoteMemory;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
@DisplayName("The remote cache")
class RemoteCacheTest {

    private ConfigurableApplicationContext server;
    private ConfigurableApplicationContext client;

    @BeforeEach
    void start() {
        server = run("cache", "--rdma.server.port=0");
        client = run(
                "cache-client",
                "--rdma.client.targets.default.address=127.0.0.1:"
                        + server.getEnvironment().getRequiredProperty("local.rdma.server.port"));
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private static ConfigurableApplicationContext run(String profile, String... arguments) {
        return new SpringApplicationBuilder(DemoApplication.class)
                .profiles(profile)
                .properties("demo.seconds=1", "rdma.provider=soft", "rdma.memory.max=256MB")
                .registerShutdownHook(false)
                .run(arguments);
    }

    private static byte[] filled(int length, int with) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) with);
        return bytes;
    }

    @Test
    @DisplayName("the comparison reads right values both ways, and READs make no call")
    void whenItIsComparedThenEveryValueIsRight(CapturedOutput output) {
        assertThat(SpringApplication.exit(client)).isZero();
        assertThat(output).contains("GET by one-sided READ", "GET by call", "every value was checked and right");
    }

    @Test
    @DisplayName("GETs by READ run nothing on the server's handler threads; they see what was put last")
    void whenEntriesAreReadThenTheServerDoesNothing() {
        RemoteCache cache = client.getBean(RemoteCache.class);
        CacheService service = server.getBean(CacheStore.class);
        cache.put("one", filled(5, 1));
        long calls = service.usage().calls();
        for (int i = 0; i < 200; i++) {
            assertThat(cache.get("one")).hasValue(filled(5, 1));
            assertThat(cache.get("none")).isEmpty();
        }
        assertThat(service.usage().calls()).isEqualTo(calls);
        cache.put("one", filled(300, 2));
        assertThat(cache.get("one")).hasValue(filled(300, 2));
    }

    @Test
    @DisplayName("a READ of an entry that is being rewritten never yields a torn value")
    void whenAnEntryIsRewrittenThenReadsAreWhole() throws InterruptedException {
        RemoteCache cache = client.getBean(RemoteCache.class);
        CacheStore store = server.getBean(CacheStore.class);
        store.put("hot", filled(400, 0));
        AtomicBoolean running = new AtomicBoolean(true);
        Thread writer = Thread.ofPlatform().start(() -> {
            for (int i = 0; running.get(); i++) {
                store.put("hot", filled(200 + i % 250, i));
            }
        });
        try {
            for (int i = 0; i < 5_000; i++) {
                byte[] value = cache.get("hot").orElseThrow();
                assertThat(value).hasSizeGreaterThanOrEqualTo(200).containsOnly(value[0]);
            }
        } finally {
            running.set(false);
            writer.join();
        }
    }

    @Test
    @DisplayName("a client whose lease has ended attaches again")
    void whenTheLeaseHasEndedThenTheClientAttachesAgain() {
        RemoteCache cache = client.getBean(RemoteCache.class);
        cache.put("one", filled(5, 1));
        assertThat(cache.get("one")).isPresent();
        server.getBean(RemoteMemory.class).disconnect();
        for (int i = 0; i < 100; i++) {
            assertThat(cache.get("one")).hasValue(filled(5, 1));
        }
    }
}
