package io.rdmarpc.docs.serialization;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.service.Messages;
import io.rdmarpc.service.RdmaSerializationException;
import io.rdmarpc.service.codec.MethodCodec;
import io.rdmarpc.service.codec.RdmaSerializer;
import io.rdmarpc.service.codec.SerializationSettings;
import io.rdmarpc.service.codec.ServiceCodecFactory;
import io.rdmarpc.service.codec.kryo.KryoCustomizer;
import io.rdmarpc.service.codec.kryo.KryoRdmaSerializer;
import io.rdmarpc.service.contract.ServiceDescription;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests the examples of the page on serialization, which are the code of this package. */
class SerializationDocsTest {

    @RdmaService
    interface Sums {
        long sum(long a, long b);
    }

    @RdmaService
    interface Till {
        Money most(List<Money> coins);
    }

    private final Messages messages = new Messages();

    private static MethodCodec codec(Class<?> type, String name, RdmaSerializer serializer) {
        ServiceDescription service = ServiceDescription.of(type);
        return new ServiceCodecFactory(serializer, Integer.MAX_VALUE)
                .codecOf(service)
                .method(service.methods().stream()
                        .filter(method -> method.name().equals(name))
                        .findFirst()
                        .orElseThrow());
    }

    private static KryoRdmaSerializer kryo(KryoCustomizer... customizers) {
        return new KryoRdmaSerializer(
                SerializationDocsTest.class.getClassLoader(), List.of(customizers), SerializationSettings.DEFAULTS);
    }

    @Test
    void shouldSerializeAContractOfRecords() {
        MethodCodec pay = codec(Payments.class, "pay", kryo());
        Object receipt =
                Optional.of(new Payments.Receipt(1, List.of(new Payments.Card("4711", new BigDecimal("1.50")))));
        byte[] message = Messages.send(pay.encodeResult(messages.allocator(), receipt));
        assertThat(pay.decodeResult(Messages.received(message))).isEqualTo(receipt);
    }

    @Test
    void shouldSerializeARegisteredClass() {
        MethodCodec most = codec(Till.class, "most", kryo(new MoneyRegistration()));
        byte[] message = Messages.send(most.encodeResult(messages.allocator(), new Money(150, "EUR")));
        Money copy = (Money) most.decodeResult(Messages.received(message));
        assertThat(copy.cents()).isEqualTo(150);
        assertThat(copy.currency()).isEqualTo("EUR");
    }

    @Test
    void shouldUseACustomFormat() {
        MethodCodec sum = codec(Sums.class, "sum", new SumsOnly());
        byte[] message = Messages.send(sum.encodeArguments(messages.allocator(), new Object[] {1L, -2L}));
        assertThat(message).hasSize(16);
        assertThat(sum.decodeArguments(Messages.received(message))).containsExactly(1L, -2L);
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> sum.decodeArguments(Messages.received(new byte[12])))
                .withMessageContaining("cannot read the arguments of");
    }
}
