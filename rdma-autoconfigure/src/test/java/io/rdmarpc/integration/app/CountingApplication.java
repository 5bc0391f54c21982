package io.rdmarpc.integration.app;

import io.rdmarpc.annotation.RdmaService;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;

/** Counts the calls that it runs, and prints how many they were when it is closed. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class CountingApplication {

    /** Before the number of calls. */
    public static final String RAN = "ran calls: ";

    /** Not idempotent. */
    @RdmaService(name = "test.Till")
    public interface Till {

        /** Returns the process that has run it. */
        long book(byte[] receipt);
    }

    @Bean
    CountingTill till() {
        return new CountingTill();
    }

    static class CountingTill implements Till, DisposableBean {

        private final AtomicLong ran = new AtomicLong();

        @Override
        public long book(byte[] receipt) {
            ran.incrementAndGet();
            return ProcessHandle.current().pid();
        }

        @Override
        public void destroy() {
            System.out.println(RAN + ran);
        }
    }
}
