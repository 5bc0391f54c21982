package io.rdmarpc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.integration.app.Orders;
import io.rdmarpc.integration.errors.Desk;
import io.rdmarpc.service.client.RdmaProxy;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

class ServiceHintsTest {

    @Test
    void shouldRegisterTheProxyTheMethodsAndTheTypesOfAService() throws NoSuchMethodException {
        RuntimeHints hints = new RuntimeHints();
        ServiceHints.register(hints, Orders.class);
        assertThat(RuntimeHintsPredicates.proxies().forInterfaces(Orders.class, RdmaProxy.class))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(Orders.class.getMethod("add", int.class, int.class)))
                .accepts(hints);
        // Nested in a parameter, and the element of a stream.
        assertThat(RuntimeHintsPredicates.reflection().onType(Orders.LineItem.class))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onType(Orders.Receipt.class))
                .accepts(hints);
    }

    @Test
    void shouldRegisterTheDeclaredExceptionsAndTheTypesOfTheirFields() {
        RuntimeHints hints = new RuntimeHints();

        ServiceHints.register(hints, Desk.class);

        assertThat(RuntimeHintsPredicates.reflection()
                        .onType(Desk.SoldOutException.class)
                        .withMemberCategories(
                                MemberCategory.INVOKE_DECLARED_CONSTRUCTORS,
                                MemberCategory.INVOKE_DECLARED_METHODS,
                                MemberCategory.ACCESS_DECLARED_FIELDS))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onType(Desk.Seat.class)).accepts(hints);
    }
}
