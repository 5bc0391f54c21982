package io.rdmarpc.integration.events;

import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.annotation.RdmaMethod.Execution;
import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.RdmaStatusException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;

/** A service whose calls are slow in several ways. */
@RdmaService(name = "test.Recorded")
public interface Recorded {

    /** Blocks the polling thread, which a method should never do. */
    @RdmaMethod(execution = Execution.INLINE)
    void blockInline(long millis);

    /** Waits for the only thread of its executor. */
    @RdmaMethod(executor = "oneThread")
    void useOnlyThread();

    /** Is overloaded until it has been called often enough. */
    @RdmaMethod(idempotent = true, attempts = 3)
    int answerAtRun(int wanted);

    /** Offers the service. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    class Server {

        final CountDownLatch free = new CountDownLatch(1);
        private final AtomicInteger runs = new AtomicInteger();

        @Bean
        ThreadPoolExecutor oneThread() {
            return new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
        }

        @Bean
        Recorded recorded() {
            return new Recorded() {
                @Override
                public void blockInline(long millis) {
                    try {
                        Thread.sleep(millis);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }

                @Override
                public void useOnlyThread() {
                    try {
                        free.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }

                @Override
                public int answerAtRun(int wanted) {
                    int run = runs.incrementAndGet();
                    if (run < wanted) {
                        throw new RdmaStatusException(RpcStatus.OVERLOADED, "call again");
                    }
                    return run;
                }
            };
        }
    }

    /** Calls the service. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    class Client {}
}
