package io.rdmarpc.service.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.rpc.error.RdmaErrorDetails.FieldViolation;
import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.LoopbackPair;
import io.rdmarpc.service.RdmaStatusException;
import io.rdmarpc.service.ServerCallContext;
import io.rdmarpc.service.contract.ServiceDescription;
import io.rdmarpc.service.contract.ServiceMethod;
import jakarta.validation.ConstraintViolation;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.Valid;
import jakarta.validation.Validation;
import jakarta.validation.ValidatorFactory;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Positive;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;
import org.springframework.aop.framework.ProxyFactory;

@DisplayName("Arguments are validated against the constraints of the interface")
class ArgumentValidationTest {

    private static final ValidatorFactory FACTORY = Validation.buildDefaultValidatorFactory();

    record Item(@NotBlank String article, @Positive int count) {}

    @RdmaService
    interface Shop {

        int order(@Valid List<@Valid Item> items);

        int price(@NotBlank String article);

        int free(String anything);
    }

    private final AtomicInteger runs = new AtomicInteger();
    private final LoopbackPair pair = new LoopbackPair();

    private class ShopBean implements Shop {

        @Override
        public int order(List<Item> items) {
            return runs.incrementAndGet();
        }

        @Override
        public int price(String article) {
            return runs.incrementAndGet();
        }

        @Override
        public int free(String anything) {
            return runs.incrementAndGet();
        }
    }

    @BeforeEach
    void validate() {
        pair.serverInterceptors.add(new ArgumentValidation(FACTORY.getValidator()));
    }

    @AfterAll
    static void close() {
        FACTORY.close();
    }

    private void expectRejected(Shop shop) {
        assertThatExceptionOfType(RdmaRemoteException.class)
                .isThrownBy(() -> shop.order(List.of(new Item("bolt", 1), new Item(" ", -1))))
                .withMessageContaining("[1].article: must not be blank")
                .withMessageContaining("[1].count: must be greater than 0")
                .satisfies(e -> assertThat(e.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT))
                .satisfies(e -> assertThat(e.errorDetails().fieldViolations())
                        .containsExactly(
                                new FieldViolation("items[1].article", "must not be blank", "NotBlank"),
                                new FieldViolation("items[1].count", "must be greater than 0", "Positive")));
        assertThat(runs).hasValue(0);
    }

    @Test
    void whenArgumentsViolateConstraintsThenTheCallerGetsThePathsAndTheMethodDoesNotRun() {
        expectRejected(pair.connect(Shop.class, new ShopBean()));
    }

    @Test
    void whenTheBeanIsAJdkProxyThenItsArgumentsAreValidated() {
        ProxyFactory proxies = new ProxyFactory(new ShopBean());
        expectRejected(pair.connect(Shop.class, (Shop) proxies.getProxy()));
    }

    @Test
    void whenABeanValidatesItselfThenItsViolationsAreFieldViolations() {
        Set<ConstraintViolation<Item>> violations = FACTORY.getValidator().validate(new Item("bolt", 0));

        RdmaStatusException failure = new ViolationMapper()
                .map(new ConstraintViolationException(violations), Mockito.mock(ServerCallContext.class));

        assertThat(failure).isNotNull().hasMessage("count: must be greater than 0");
        assertThat(failure.errorDetails().fieldViolations())
                .containsExactly(new FieldViolation("count", "must be greater than 0", "Positive"));
        assertThat(new ViolationMapper().map(new IllegalStateException(), Mockito.mock(ServerCallContext.class)))
                .isNull();
    }

    @Test
    void whenArgumentsAreValidThenTheMethodRuns() {
        Shop shop = pair.connect(Shop.class, new ShopBean());

        assertThat(shop.order(List.of(new Item("bolt", 1)))).isOne();
        assertThat(shop.price("bolt")).isEqualTo(2);
    }

    @Test
    void whenAMethodHasNoConstraintsThenItIsNotIntercepted() {
        ArgumentValidation validation = new ArgumentValidation(FACTORY.getValidator());

        assertThat(ServiceDescription.of(Shop.class).calls().stream().filter(validation::appliesTo))
                .extracting(ServiceMethod::name)
                .containsExactlyInAnyOrder("order", "price");
    }
}
