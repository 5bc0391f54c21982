package io.rdmarpc.demo.grpc;

import com.google.protobuf.Timestamp;
import com.google.protobuf.UnsafeByteOperations;
import io.rdmarpc.demo.Fill;
import io.rdmarpc.demo.LineItem;
import io.rdmarpc.demo.Order;
import io.rdmarpc.demo.Receipt;
import io.rdmarpc.demo.Report;
import io.rdmarpc.demo.proto.FillMessage;
import io.rdmarpc.demo.proto.LineItemMessage;
import io.rdmarpc.demo.proto.MaybeReceiptMessage;
import io.rdmarpc.demo.proto.OrderMessage;
import io.rdmarpc.demo.proto.PriorityMessage;
import io.rdmarpc.demo.proto.ReceiptMessage;
import io.rdmarpc.demo.proto.ReportMessage;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Optional;

/** Maps the records of the service to protobuf messages and back. */
final class Messages {

    /** Number of decimals of an amount of money. */
    private static final int CENTS = 2;

    private Messages() {}

    static OrderMessage message(Order order) {
        OrderMessage.Builder message = OrderMessage.newBuilder()
                .setId(order.id())
                .setCustomer(order.customer())
                .setPriority(
                        order.priority() == Order.Priority.EXPRESS ? PriorityMessage.EXPRESS : PriorityMessage.STANDARD)
                .setPlacedAt(message(order.placedAt()))
                .setInstructions(order.instructions());
        order.items()
                .forEach(item -> message.addItems(LineItemMessage.newBuilder()
                        .setArticle(item.article())
                        .setQuantity(item.quantity())
                        .setCents(cents(item.price()))));
        return message.build();
    }

    static Order order(OrderMessage message) {
        return new Order(
                message.getId(),
                message.getCustomer(),
                message.getPriority() == PriorityMessage.EXPRESS ? Order.Priority.EXPRESS : Order.Priority.STANDARD,
                instant(message.getPlacedAt()),
                message.getItemsList().stream()
                        .map(item -> new LineItem(item.getArticle(), item.getQuantity(), amount(item.getCents())))
                        .toList(),
                message.getInstructions());
    }

    static ReceiptMessage message(Receipt receipt) {
        return ReceiptMessage.newBuilder()
                .setOrderId(receipt.orderId())
                .setTotalCents(cents(receipt.total()))
                .setPieces(receipt.pieces())
                .setArrivesAt(message(receipt.arrivesAt()))
                .build();
    }

    static Receipt receipt(ReceiptMessage message) {
        return new Receipt(
                message.getOrderId(),
                amount(message.getTotalCents()),
                message.getPieces(),
                instant(message.getArrivesAt()));
    }

    static MaybeReceiptMessage maybe(Optional<Receipt> receipt) {
        MaybeReceiptMessage.Builder message = MaybeReceiptMessage.newBuilder();
        receipt.ifPresent(found -> message.setReceipt(message(found)));
        return message.build();
    }

    static Optional<Receipt> maybe(MaybeReceiptMessage message) {
        return message.hasReceipt() ? Optional.of(receipt(message.getReceipt())) : Optional.empty();
    }

    static FillMessage message(Fill fill) {
        return FillMessage.newBuilder()
                .setOrderId(fill.orderId())
                .setNumber(fill.number())
                .setPieces(fill.pieces())
                .setCents(cents(fill.price()))
                .setLast(fill.last())
                .build();
    }

    static Fill fill(FillMessage message) {
        return new Fill(
                message.getOrderId(),
                message.getNumber(),
                message.getPieces(),
                amount(message.getCents()),
                message.getLast());
    }

    /** Shares the bytes of the report with the message, as fast code that uses gRPC does. */
    static ReportMessage message(Report report) {
        return ReportMessage.newBuilder()
                .setCustomer(report.customer())
                .setYear(report.year())
                .setCsv(UnsafeByteOperations.unsafeWrap(report.csv()))
                .build();
    }

    static Report report(ReportMessage message) {
        return new Report(
                message.getCustomer(), message.getYear(), message.getCsv().toByteArray());
    }

    private static long cents(BigDecimal amount) {
        return amount.movePointRight(CENTS).longValueExact();
    }

    private static BigDecimal amount(long cents) {
        return BigDecimal.valueOf(cents, CENTS);
    }

    private static Timestamp message(Instant instant) {
        return Timestamp.newBuilder()
                .setSeconds(instant.getEpochSecond())
                .setNanos(instant.getNano())
                .build();
    }

    private static Instant instant(Timestamp message) {
        return Instant.ofEpochSecond(message.getSeconds(), message.getNanos());
    }
}
