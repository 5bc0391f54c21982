package io.rdmarpc.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingSenderTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelPropagator;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.micrometer.tracing.propagation.Propagator;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.rdmarpc.integration.app.Orders;
import io.rdmarpc.integration.app.OrdersImpl;
import io.rdmarpc.integration.app.TestApplication;
import io.rdmarpc.service.observation.DefaultRdmaClientObservationConvention;
import io.rdmarpc.service.observation.RdmaClientObservationContext;
import io.rdmarpc.service.observation.RdmaClientObservationConvention;
import io.rdmarpc.service.observation.RdmaMeter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** Micrometer Tracing over OpenTelemetry on both sides: one trace. */
@Timeout(60)
class TracingTest {

    private static ConfigurableApplicationContext server;
    private static ConfigurableApplicationContext client;

    /** What a tracing starter configures. */
    static class Tracing {

        @Bean
        InMemorySpanExporter spans() {
            return InMemorySpanExporter.create();
        }

        @Bean(destroyMethod = "close")
        SdkTracerProvider tracerProvider(InMemorySpanExporter spans) {
            return SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(spans))
                    .build();
        }

        @Bean
        Tracer tracer(SdkTracerProvider provider) {
            return new OtelTracer(provider.get("test"), new OtelCurrentTraceContext(), event -> {});
        }

        @Bean
        Propagator propagator(SdkTracerProvider provider) {
            return new OtelPropagator(
                    ContextPropagators.create(W3CTraceContextPropagator.getInstance()), provider.get("test"));
        }

        @Bean
        PropagatingReceiverTracingObservationHandler<?> receiver(Tracer tracer, Propagator propagator) {
            return new PropagatingReceiverTracingObservationHandler<>(tracer, propagator);
        }

        @Bean
        PropagatingSenderTracingObservationHandler<?> sender(Tracer tracer, Propagator propagator) {
            return new PropagatingSenderTracingObservationHandler<>(tracer, propagator);
        }

        @Bean
        DefaultTracingObservationHandler others(Tracer tracer) {
            return new DefaultTracingObservationHandler(tracer) {
                @Override
                public boolean supportsContext(Observation.Context context) {
                    return !(context instanceof SenderContext<?> || context instanceof ReceiverContext<?>);
                }
            };
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Tracing.class)
    static class Server {

        @Bean
        Orders orders(Tracer tracer) {
            return new OrdersImpl() {
                @Override
                public Receipt place(Order order) {
                    Receipt receipt = super.place(order);
                    var span = tracer.currentSpan();
                    return new Receipt(span == null ? "no span" : span.context().traceId(), receipt.total());
                }
            };
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Tracing.class)
    static class Client {

        @Bean
        RdmaClientObservationConvention convention() {
            return new DefaultRdmaClientObservationConvention() {
                @Override
                public String getContextualName(RdmaClientObservationContext context) {
                    return "call of " + context.call().method().name();
                }
            };
        }
    }

    @BeforeAll
    static void start() {
        server = TestApplication.run(Server.class);
        client = TestApplication.run(
                Client.class, "rdma.client.targets.default.address=127.0.0.1:" + TestApplication.port(server));
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
    }

    @BeforeEach
    void forget() {
        client.getBean(InMemorySpanExporter.class).reset();
        server.getBean(InMemorySpanExporter.class).reset();
    }

    private static Orders orders() {
        return client.getBean(Orders.class);
    }

    private static List<SpanData> spans(ConfigurableApplicationContext application, int count) {
        InMemorySpanExporter exporter = application.getBean(InMemorySpanExporter.class);
        // A server ends its span after it has answered.
        Awaitility.await()
                .untilAsserted(() -> assertThat(exporter.getFinishedSpanItems()).hasSize(count));
        return exporter.getFinishedSpanItems();
    }

    @Test
    void bothSidesAreInTheTraceOfTheCaller() {
        Observation parent = Observation.start("shopping", client.getBean(ObservationRegistry.class));
        Orders.Receipt receipt = parent.scoped(() -> orders().placeOne("apple"));
        parent.stop();

        SpanData answering = spans(server, 1).getFirst();
        SpanData calling = spans(client, 2).getFirst();
        SpanData shopping = spans(client, 2).getLast();
        assertThat(calling.getTraceId())
                .isEqualTo(shopping.getTraceId())
                .isEqualTo(answering.getTraceId())
                .as("what the method sees")
                .isEqualTo(receipt.customer());
        assertThat(calling.getParentSpanId()).isEqualTo(shopping.getSpanId());
        assertThat(answering.getParentSpanId()).isEqualTo(calling.getSpanId());
        assertThat(calling.getKind()).isEqualTo(SpanKind.CLIENT);
        assertThat(answering.getKind()).isEqualTo(SpanKind.SERVER);
    }

    @Test
    void spansHaveNamesAndTagsOfTheirConventions() {
        orders().add(1, 2);
        SpanData calling = spans(client, 1).getFirst();
        assertThat(calling.getName()).as("of the application's convention").isEqualTo("call of add");
        assertThat(attributes(calling))
                .containsEntry("rpc.system.name", "rdmarpc")
                .containsEntry("rpc.method", "test.Orders/add")
                .containsEntry("rpc.status_code", "OK")
                .containsEntry("rdma.target", "default")
                .containsEntry("server.address", "127.0.0.1")
                .containsEntry("server.port", String.valueOf(TestApplication.port(server)))
                .containsEntry("network.peer.address", "127.0.0.1")
                .containsKey("network.peer.port")
                .doesNotContainKey("error.type");
        SpanData answering = spans(server, 1).getFirst();
        assertThat(answering.getName()).isEqualTo("test.Orders/add");
        assertThat(attributes(answering)).containsEntry("rpc.status_code", "OK").containsKey("network.peer.address");
    }

    private static Map<String, String> attributes(SpanData span) {
        Map<String, String> attributes = new HashMap<>();
        span.getAttributes().forEach((key, value) -> attributes.put(key.getKey(), String.valueOf(value)));
        return attributes;
    }

    @Test
    void aFailureIsOnBothSpans() {
        assertThat(catchThrowable(() -> orders().reject("no"))).isNotNull();
        assertThat(attributes(spans(client, 1).getFirst()))
                .containsEntry("rpc.status_code", "HANDLER_FAILED")
                .containsEntry("error.type", "HANDLER_FAILED");
        assertThat(attributes(spans(server, 1).getFirst())).containsEntry("error.type", "HANDLER_FAILED");
        assertThat(spans(client, 1).getFirst().getEvents()).isNotEmpty();
    }

    @Test
    void aFutureEndsItsSpanWhenItCompletes() {
        CompletableFuture<String> later = orders().later("done", 300);
        assertThat(client.getBean(InMemorySpanExporter.class).getFinishedSpanItems())
                .isEmpty();
        assertThat(later.join()).isEqualTo("done");
        SpanData calling = spans(client, 1).getFirst();
        assertThat(calling.getEndEpochNanos() - calling.getStartEpochNanos()).isGreaterThan(250_000_000L);
        assertThat(spans(server, 1).getFirst().getTraceId()).isEqualTo(calling.getTraceId());
    }

    @Test
    void observationsMakeTheTimersOfTheList() {
        assertThat(catchThrowable(() -> orders().reject("no"))).isNotNull();
        assertThat(spans(server, 1)).hasSize(1);
        for (RdmaMeter meter : List.of(RdmaMeter.CLIENT_CALLS, RdmaMeter.SERVER_CALLS)) {
            MeterRegistry registry = (meter == RdmaMeter.CLIENT_CALLS ? client : server).getBean(MeterRegistry.class);
            Awaitility.await()
                    .untilAsserted(() -> assertThat(registry.find(meter.meterName())
                                    .tag("rpc.status_code", "HANDLER_FAILED")
                                    .timers())
                            .isNotEmpty());
            assertThat(registry.find(meter.meterName())
                            .tag("rpc.status_code", "HANDLER_FAILED")
                            .timers())
                    .allSatisfy(
                            timer -> assertThat(timer.getId().getTags().stream().map(Tag::getKey))
                                    .containsAll(meter.tags()));
        }
    }
}
