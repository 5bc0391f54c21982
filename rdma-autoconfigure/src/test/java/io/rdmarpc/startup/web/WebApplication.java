package io.rdmarpc.startup.web;

import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.event.EventListener;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** A small web application with actuator, validation and meters, to see what our starter adds to its start. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@ComponentScan
public class WebApplication {

    /** What is posted. */
    public record Greeting(@NotBlank String name) {}

    /** Says hello. */
    @RestController
    public static class Greetings {

        @PostMapping("/greetings")
        String greet(@RequestBody @Valid Greeting greeting) {
            return "hello " + greeting.name();
        }
    }

    /** Prints how long the start took, from that of the JVM, or what it uses when it is idle, and ends. */
    @EventListener
    public void onReady(ApplicationReadyEvent event) throws IOException, InterruptedException {
        long started = ManagementFactory.getRuntimeMXBean().getStartTime();
        System.out.println("ready after " + (System.currentTimeMillis() - started) + " ms");
        if (Boolean.getBoolean("startup.memory")) {
            System.out.println("uses " + memoryKib() + " KiB");
        }
        Runtime.getRuntime().halt(0);
    }

    /** Resident memory, of the heap only what is in use: all of it is resident from the start, by flags. */
    private static long memoryKib() throws IOException, InterruptedException {
        Thread.sleep(Duration.ofSeconds(1));
        System.gc();
        Runtime heap = Runtime.getRuntime();
        long unused = heap.freeMemory() / 1024;
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) - unused)
                .sum();
    }

    public static void main(String[] args) {
        SpringApplication.run(WebApplication.class, args);
    }
}
