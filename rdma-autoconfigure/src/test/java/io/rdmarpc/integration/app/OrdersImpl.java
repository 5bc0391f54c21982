package io.rdmarpc.integration.app;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The service as a server runs it. */
public class OrdersImpl implements Orders {

    @Override
    public Receipt place(Order order) {
        BigDecimal total = order.items().stream()
                .map(item -> item.price().multiply(BigDecimal.valueOf(item.count())))
                .reduce(BigDecimal.ZERO, BigDecimal::add);
        return new Receipt(order.customer(), total);
    }

    @Override
    public int add(int a, int b) {
        return a + b;
    }

    @Override
    public byte[] echo(byte[] payload) {
        return payload;
    }

    @Override
    public CompletableFuture<String> later(String text, long millis) {
        return CompletableFuture.supplyAsync(
                () -> {
                    if (text.startsWith("fail")) {
                        throw new IllegalStateException(text);
                    }
                    return text;
                },
                CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS));
    }

    @Override
    public void reject(String reason) {
        throw new IllegalArgumentException(reason, new UnsupportedOperationException("deep"));
    }

    @Override
    public void sleep(long millis) {
        try {
            // What the method is for: it keeps its thread, as a slow bean does.
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public Stream<Receipt> receipts(int count) {
        return IntStream.iterate(0, i -> i + 1).mapToObj(i -> {
            if (i == count) {
                throw new IllegalStateException("only " + count + " receipts");
            }
            return new Receipt("customer " + i, BigDecimal.valueOf(i));
        });
    }

    @Override
    public Iterator<byte[]> photos(int count, int bytes) {
        return IntStream.range(0, count)
                .mapToObj(i -> {
                    byte[] photo = new byte[bytes];
                    Arrays.fill(photo, (byte) i);
                    return photo;
                })
                .iterator();
    }

    @Override
    public Receipt nullReceipt() {
        return null;
    }
}
