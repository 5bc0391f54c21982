package io.rdmarpc.service.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.annotation.RdmaService;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ServiceDescriptionTest {

    interface Store<K, V> {

        V load(K key);

        void save(K key, List<V> values);
    }

    @RdmaService(name = "shop.Prices")
    interface Prices extends Store<String, Long> {

        long price(String article);

        long price(String article, int amount);

        CompletableFuture<Map<String, Long>> all();

        CompletionStage<Void> refresh();

        default long gross(String article) {
            return price(article) * 12 / 10;
        }

        static Prices none() {
            return null;
        }

        @Override
        String toString();
    }

    @RdmaService
    interface Narrowed extends Store<String, Long> {

        @Override
        Long load(String key);
    }

    @Test
    void shouldResolveTypesOfSignaturesAgainstTheInterface() {
        assertThat(ServiceDescription.of(Prices.class).methods())
                .extracting(ServiceMethod::signature)
                .containsExactlyInAnyOrder(
                        "java.lang.Long load(java.lang.String)",
                        "void save(java.lang.String, java.util.List<java.lang.Long>)",
                        "long price(java.lang.String)",
                        "long price(java.lang.String, int)",
                        "java.util.concurrent.CompletableFuture<java.util.Map<java.lang.String, java.lang.Long>> all()",
                        "java.util.concurrent.CompletionStage<java.lang.Void> refresh()");
    }

    @Test
    void shouldUseTheNameOfTheAnnotationOrTheInterface() {
        assertThat(ServiceDescription.of(Prices.class).name()).isEqualTo("shop.Prices");
        assertThat(ServiceDescription.of(Narrowed.class).name()).isEqualTo(Narrowed.class.getName());
    }

    @Test
    void shouldGiveOverloadsDifferentIds() {
        assertThat(ServiceDescription.of(Prices.class).methods())
                .extracting(ServiceMethod::id)
                .doesNotHaveDuplicates();
    }

    @Test
    void shouldOmitBridgeMethods() {
        assertThat(ServiceDescription.of(Narrowed.class).methods())
                .extracting(ServiceMethod::name)
                .containsExactlyInAnyOrder("load", "save");
    }

    @Test
    void shouldDescribeFuturesByTheirValue() {
        ServiceMethod all = method(Prices.class, "all");
        assertThat(all.asynchronous()).isTrue();
        assertThat(all.result().toClass()).isEqualTo(Map.class);
        assertThat(all.returnsValue()).isTrue();
        assertThat(method(Prices.class, "refresh").returnsValue()).isFalse();
        assertThat(method(Prices.class, "save").returnsValue()).isFalse();
    }

    private static ServiceMethod method(Class<?> type, String name) {
        return ServiceDescription.of(type).methods().stream()
                .filter(method -> method.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @RdmaService
    interface Streams {
        IntStream lines();
    }

    @RdmaService
    interface Rows {
        Stream<String> rows();

        Iterator<Integer> numbers();
    }

    @Test
    void shouldDescribeStreamsAndIteratorsByTheirElements() {
        ServiceMethod rows = method(Rows.class, "rows");
        assertThat(rows.streaming()).isTrue();
        assertThat(rows.result().toClass()).isEqualTo(String.class);
        assertThat(method(Rows.class, "numbers").result().toClass()).isEqualTo(Integer.class);
        assertThat(method(Prices.class, "all").streaming()).isFalse();
    }

    @RdmaService
    interface Uploads {
        long upload(String name, Stream<Long> parts);

        long early(Stream<Long> parts, String name);
    }

    @RdmaService
    interface Upload {
        Iterator<String> upload(String name, Iterator<Long> parts);
    }

    @Test
    void shouldDescribeStreamedArgumentsByAMethodForTheirElements() {
        ServiceDescription service = ServiceDescription.of(Upload.class);
        ServiceMethod upload = service.calls().getFirst();

        assertThat(service.calls()).hasSize(1);
        assertThat(service.methods()).hasSize(2).contains(upload.elements());
        assertThat(upload.parameters()).extracting(type -> type.toClass()).isEqualTo(List.of(String.class));
        assertThat(upload.elements().parameters())
                .extracting(type -> type.toClass())
                .isEqualTo(List.of(Long.class));
        assertThat(upload.streamedShape()).isEqualTo(ResultShape.ITERATOR);
        assertThat(upload.streaming()).isTrue();
    }

    @Test
    void shouldRejectAStreamBeforeOtherArguments() {
        assertThatExceptionOfType(RdmaInvalidServiceException.class)
                .isThrownBy(() -> ServiceDescription.of(Uploads.class))
                .withMessageContaining("Uploads.early has a java.util.stream.Stream as argument 1")
                .withMessageContaining("only the last argument may be a Stream");
    }

    @RdmaService(name = "prices", version = "2", group = "shop")
    interface Versioned {}

    @Test
    void shouldIncludeGroupAndVersionInTheName() {
        assertThat(ServiceDescription.of(Versioned.class).name()).isEqualTo("shop/prices:2");
    }

    @RdmaService
    interface Futures {
        Future<String> line();
    }

    @RdmaService
    interface Publishers {
        Flow.Publisher<String> lines();
    }

    @Test
    void shouldRejectUnsupportedResultTypesWithTheMethodName() {
        for (Class<?> type : List.of(Streams.class, Futures.class, Publishers.class)) {
            assertThatExceptionOfType(RdmaInvalidServiceException.class)
                    .isThrownBy(() -> ServiceDescription.of(type))
                    .withMessageContaining(type.getName() + ".line")
                    .withMessageContaining("cannot be sent as one response")
                    .withMessageContaining(
                            "Return a value, void, CompletableFuture, CompletionStage, Stream or Iterator");
        }
    }

    @Test
    void shouldRejectTypesThatAreNotServices() {
        assertThatExceptionOfType(RdmaInvalidServiceException.class)
                .isThrownBy(() -> ServiceDescription.of(Store.class))
                .withMessageContaining("@RdmaService");
    }
}
