package io.rdmarpc.service.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.annotation.RdmaFailureDetails;
import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.rpc.error.RdmaOverloadedException;
import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.LoopbackPair;
import io.rdmarpc.service.RdmaAdvice;
import io.rdmarpc.service.RdmaExceptionHandler;
import io.rdmarpc.service.RdmaStatusException;
import io.rdmarpc.service.ServerCallContext;
import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@Timeout(20)
@DisplayName("Exceptions of methods at their callers")
class ExceptionMappingTest {

    static class NoMoneyException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        NoMoneyException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    static class ReallyNoMoneyException extends NoMoneyException {

        private static final long serialVersionUID = 1L;

        ReallyNoMoneyException(String message) {
            super(message, null);
        }
    }

    @RdmaService
    interface Bank {

        void pay(String how) throws NoMoneyException, IOException;

        CompletableFuture<String> payLater(String how) throws NoMoneyException;
    }

    private final LoopbackPair pair = new LoopbackPair();

    private final Bank bean = new Bank() {
        @Override
        public void pay(String how) throws IOException {
            switch (how) {
                case "none" -> throw new ReallyNoMoneyException("not a cent");
                case "missing" -> throw new NoSuchElementException("no such account");
                case "io" -> throw new FileNotFoundException("no vault");
                case "unchecked io" -> throw new UncheckedIOException("hidden", new IOException("deep"));
                case "busy" -> throw new IllegalStateException("busy");
                default -> throw new IllegalArgumentException(how);
            }
        }

        @Override
        public CompletableFuture<String> payLater(String how) {
            return CompletableFuture.failedFuture(new ReallyNoMoneyException("not a cent later"));
        }
    };

    @RdmaAdvice
    static class Advice {

        @RdmaExceptionHandler
        RpcStatus missing(NoSuchElementException e) {
            return RpcStatus.NOT_FOUND;
        }

        @RdmaExceptionHandler
        RdmaStatusException busy(IllegalStateException e, ServerCallContext call) {
            return new RdmaStatusException(
                    RpcStatus.OVERLOADED, call.method().name() + " is " + e.getMessage(), Duration.ofMillis(30));
        }

        @RdmaExceptionHandler
        RpcStatus others(RuntimeException e) {
            return RpcStatus.INVALID_ARGUMENT;
        }
    }

    @RdmaAdvice
    static class Unfit {

        @RdmaExceptionHandler
        String handle(String notAnException) {
            return notAnException;
        }
    }

    private Bank advised() {
        pair.beans.registerSingleton("advice", new Advice());
        return pair.connect(Bank.class, bean);
    }

    private static void expect(RpcStatus status, String words, Bank bank, String how) {
        assertThatExceptionOfType(RdmaRemoteException.class)
                .isThrownBy(() -> bank.pay(how))
                .withMessageContaining(words)
                .satisfies(e -> assertThat(e.status()).isEqualTo(status));
    }

    @Test
    void whenTheContractDeclaresATypeThenTheCallerCatchesItForASubclassToo() {
        Bank bank = pair.connect(Bank.class, bean);

        assertThatExceptionOfType(NoMoneyException.class)
                .isThrownBy(() -> bank.pay("none"))
                .withMessage("not a cent")
                .isExactlyInstanceOf(NoMoneyException.class)
                .withCauseInstanceOf(RdmaRemoteException.class);
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> bank.pay("io"))
                .isExactlyInstanceOf(IOException.class)
                .withMessage("no vault");
    }

    record Stock(String item, int available) {}

    static class OutOfStockException extends Exception implements RdmaFailureDetails<Stock> {

        private static final long serialVersionUID = 1L;

        private final transient Stock stock;

        OutOfStockException(String message, Stock stock) {
            super(message);
            this.stock = stock;
        }

        int available() {
            return stock.available();
        }

        @Override
        public Stock failureDetails() {
            return stock;
        }
    }

    @RdmaService
    interface Warehouse {

        int take(int count) throws OutOfStockException;

        void reserve(int count) throws OutOfStockException, NoMoneyException;

        CompletableFuture<String> takeLater(int count) throws OutOfStockException;
    }

    private static final class TinyWarehouse implements Warehouse {

        @Override
        public int take(int count) throws OutOfStockException {
            if (count > 3) {
                String words = count > 1000 ? "only 3\nERROR \u202Eof it" : "only 3 of it";
                throw new OutOfStockException(words, new Stock("nail", 3));
            }
            return count;
        }

        @Override
        public void reserve(int count) throws OutOfStockException {
            if (count < 0) {
                throw new NoMoneyException("not a cent", null);
            }
            if (count > 3) {
                throw new OutOfStockException(null, null);
            }
        }

        @Override
        public CompletableFuture<String> takeLater(int count) {
            return count > 3
                    ? CompletableFuture.failedFuture(new OutOfStockException("only 3 later", new Stock("nail", 3)))
                    : CompletableFuture.completedFuture("taken");
        }
    }

    @Test
    void whenADeclaredExceptionHasDetailsThenTheyArriveWithIt() throws Exception {
        Warehouse warehouse = pair.connect(Warehouse.class, new TinyWarehouse());

        assertThat(warehouse.take(3)).isEqualTo(3);
        assertThatExceptionOfType(OutOfStockException.class)
                .isThrownBy(() -> warehouse.take(4))
                .withMessage("only 3 of it")
                .withCauseInstanceOf(RdmaRemoteException.class)
                .satisfies(e -> assertThat(e.available()).isEqualTo(3));
        warehouse.reserve(1);
        assertThatExceptionOfType(OutOfStockException.class)
                .isThrownBy(() -> warehouse.reserve(4))
                .satisfies(e -> assertThat(e.failureDetails()).isNull());
        assertThatExceptionOfType(NoMoneyException.class)
                .isThrownBy(() -> warehouse.reserve(-1))
                .withMessage("not a cent");
        assertThat(warehouse.takeLater(1).get()).isEqualTo("taken");
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> warehouse.takeLater(4).get())
                .havingCause()
                .isInstanceOfSatisfying(
                        OutOfStockException.class,
                        e -> assertThat(e.available()).isEqualTo(3));
    }

    @Test
    void whenAnExceptionHasDetailsThenItsMessageIsSanitized() {
        Warehouse warehouse = pair.connect(Warehouse.class, new TinyWarehouse());

        assertThatExceptionOfType(OutOfStockException.class)
                .isThrownBy(() -> warehouse.take(1001))
                .withMessage("only 3 ERROR ?of it");
    }

    @Test
    void whenAHandlerChoosesTheStatusThenTheDetailsArriveWithIt() {
        pair.beans.registerSingleton("advice", new StockAdvice());
        Warehouse warehouse = pair.connect(Warehouse.class, new TinyWarehouse());

        assertThatExceptionOfType(OutOfStockException.class)
                .isThrownBy(() -> warehouse.take(4))
                .satisfies(e -> assertThat(e.available()).isEqualTo(3))
                .havingCause()
                .isInstanceOfSatisfying(
                        RdmaRemoteException.class, e -> assertThat(e.status()).isEqualTo(RpcStatus.CONFLICT));
    }

    @RdmaAdvice
    static class StockAdvice {

        @RdmaExceptionHandler
        RpcStatus out(OutOfStockException e) {
            return RpcStatus.CONFLICT;
        }
    }

    static class ForgetfulException extends Exception implements RdmaFailureDetails<Stock> {

        private static final long serialVersionUID = 1L;

        ForgetfulException(String message) {
            super(message);
        }

        @Override
        public Stock failureDetails() {
            return new Stock("lost", 0);
        }
    }

    @RdmaService
    interface Forgetful {
        void forget() throws ForgetfulException;
    }

    @Test
    void whenNoConstructorTakesTheDetailsThenTheServiceIsRejected() {
        assertThatExceptionOfType(RdmaInvalidServiceException.class)
                .isThrownBy(() -> pair.connect(Forgetful.class, () -> {}))
                .withMessageContaining("forget declares " + ForgetfulException.class.getName())
                .withMessageContaining("Add the constructor ForgetfulException(String message, Stock details)");
    }

    static class OddException extends Exception {

        private static final long serialVersionUID = 1L;

        OddException(int code) {
            super("code " + code);
        }
    }

    @RdmaService
    interface Odd {
        void odd() throws OddException;
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void whenADeclaredExceptionHasNoConstructorThenAWarningNamesItAndTheMethod(CapturedOutput output) {
        Odd odd = pair.connect(Odd.class, () -> {
            throw new OddException(7);
        });

        assertThat(output)
                .contains(
                        ".odd declares " + OddException.class.getName() + ", which has no constructor with a message");
        assertThatExceptionOfType(RdmaRemoteException.class)
                .isThrownBy(odd::odd)
                .withMessageContaining("threw " + OddException.class.getName() + ": code 7");
    }

    @Test
    void whenAFutureFailsWithADeclaredTypeThenItCompletesWithThatType() {
        Bank bank = pair.connect(Bank.class, bean);

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> bank.payLater("now").get())
                .havingCause()
                .isExactlyInstanceOf(NoMoneyException.class)
                .withMessage("not a cent later");
    }

    @Test
    void whenNoMapperAppliesThenTheFailureHasTypeAndMessage() {
        Bank bank = pair.connect(Bank.class, bean);

        assertThatExceptionOfType(RdmaRemoteException.class)
                .isThrownBy(() -> bank.pay("other"))
                .satisfies(e -> assertThat(e.remoteType()).isEqualTo(IllegalArgumentException.class.getName()))
                .satisfies(e -> assertThat(e.status()).isEqualTo(RpcStatus.HANDLER_FAILED));
    }

    @Test
    void whenAnAdviceHandlesItThenTheMostSpecificTypeApplies() {
        Bank bank = advised();

        expect(RpcStatus.NOT_FOUND, "no such account", bank, "missing");
        expect(RpcStatus.INVALID_ARGUMENT, "hidden", bank, "unchecked io");
    }

    @Test
    void whenAnAdviceSetsRetryAfterThenTheCallerGetsIt() {
        Bank bank = advised();

        assertThatExceptionOfType(RdmaOverloadedException.class)
                .isThrownBy(() -> bank.pay("busy"))
                .withMessageContaining("pay is busy")
                .satisfies(e -> assertThat(e.retryAfter()).isEqualTo(Duration.ofMillis(30)));
    }

    @Test
    void whenADeclaredExceptionIsMappedThenTheCallerStillCatchesIt() {
        Bank bank = advised();

        assertThatExceptionOfType(NoMoneyException.class)
                .isThrownBy(() -> bank.pay("none"))
                .havingCause()
                .isInstanceOfSatisfying(
                        RdmaRemoteException.class, e -> assertThat(e.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT));
    }

    @Test
    void whenMappersAreBeansThenTheyApplyInOrderAndAFailingOneIsSkipped() {
        pair.withExports(exporter -> exporter.withExceptionMappers(List.of(
                (thrown, call) -> {
                    throw new IllegalStateException("a mapper");
                },
                (thrown, call) -> new RdmaStatusException(RpcStatus.CONFLICT, "second"),
                (thrown, call) -> new RdmaStatusException(RpcStatus.NOT_FOUND, "third"))));

        expect(RpcStatus.CONFLICT, "second", pair.connect(Bank.class, bean), "other");
    }

    @Test
    void whenAHandlerHasAnInvalidSignatureThenTheStartFailsAndNamesBeanAndMethod() {
        pair.beans.registerSingleton("unfit", new Unfit());

        assertThatExceptionOfType(RdmaInvalidServiceException.class)
                .isThrownBy(() -> pair.connect(Bank.class, bean))
                .withMessageContaining("handle of bean 'unfit'");
    }
}
