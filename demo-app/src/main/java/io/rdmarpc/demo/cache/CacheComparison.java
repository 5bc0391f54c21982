package io.rdmarpc.demo.cache;

import io.rdmarpc.annotation.RdmaClient;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.ExitCodeGenerator;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/** Reads the cache by RDMA READs and by calls, checks every value, and prints latency and server cost of both. */
@Component
@Profile("cache-client")
public class CacheComparison implements ApplicationRunner, ExitCodeGenerator {

    private static final int KEYS = 1_000;
    private static final int VALUE_BYTES = 100;
    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final double NANOS_PER_MICRO = 1e3;

    private final RemoteCache cache;
    private final CacheService service;
    private final int seconds;
    private long wrong;

    /** Creates the comparison; Spring calls this constructor. */
    CacheComparison(RemoteCache cache, @RdmaClient CacheService service, @Value("${demo.seconds:8}") int seconds) {
        this.cache = cache;
        this.service = service;
        this.seconds = seconds;
    }

    /** Looks up one entry. */
    private interface Lookup {
        Optional<byte[]> get(String key);
    }

    @Override
    public void run(ApplicationArguments args) {
        for (int number = 0; number < KEYS; number++) {
            cache.put(key(number), value(number));
        }
        long part = TimeUnit.SECONDS.toNanos(seconds) / 4;
        look(cache::get, part);
        look(service::get, part);
        System.out.printf(
                Locale.ROOT,
                "%n%-22s %9s %10s %10s %14s %22s%n",
                "",
                "lookups",
                "p50 us",
                "p99 us",
                "server calls",
                "server CPU us/lookup");
        measure("GET by one-sided READ", cache::get, part);
        measure("GET by call", service::get, part);
        System.out.println(
                "\nThe server's CPU time is that of its whole process, which includes the work of the software RNIC.");
        System.out.println(
                getExitCode() == 0 ? "every value was checked and is correct" : wrong + " VALUES WERE WRONG");
    }

    private static String key(int number) {
        return "key-" + number;
    }

    private static byte[] value(int number) {
        byte[] value = new byte[VALUE_BYTES];
        Arrays.fill(value, (byte) number);
        return ByteBuffer.wrap(value).putInt(number).array();
    }

    private void measure(String name, Lookup lookup, long nanos) {
        CacheService.Usage before = service.usage();
        Histogram times = look(lookup, nanos);
        CacheService.Usage after = service.usage();
        System.out.printf(
                Locale.ROOT,
                "%-22s %9d %10.1f %10.1f %14d %22.2f%n",
                name,
                times.getTotalCount(),
                times.getValueAtPercentile(50) / NANOS_PER_MICRO,
                times.getValueAtPercentile(99) / NANOS_PER_MICRO,
                after.calls() - before.calls(),
                (after.processCpuNanos() - before.processCpuNanos()) / NANOS_PER_MICRO / times.getTotalCount());
    }

    private Histogram look(Lookup lookup, long nanos) {
        Histogram times = new Histogram(LONGEST_NANOS, 3);
        long end = System.nanoTime() + nanos;
        int number = 0;
        for (long begin = System.nanoTime(); begin - end < 0; number = (number + 1) % KEYS) {
            if (!Arrays.equals(lookup.get(key(number)).orElse(null), value(number))) {
                wrong++;
            }
            long now = System.nanoTime();
            times.recordValue(Math.min(LONGEST_NANOS, now - begin));
            begin = now;
        }
        return times;
    }

    @Override
    public int getExitCode() {
        return wrong == 0 ? 0 : 1;
    }
}
