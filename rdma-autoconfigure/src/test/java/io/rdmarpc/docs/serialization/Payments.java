package io.rdmarpc.docs.serialization;

import io.rdmarpc.annotation.RdmaService;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

@RdmaService
public interface Payments {

    Optional<Receipt> pay(Payment payment);

    void store(String name, ByteBuffer scan);

    record Receipt(long number, List<Payment> parts) {}

    sealed interface Payment permits Card, Transfer {}

    record Card(String number, BigDecimal amount) implements Payment {}

    record Transfer(String iban, BigDecimal amount) implements Payment {}
}
