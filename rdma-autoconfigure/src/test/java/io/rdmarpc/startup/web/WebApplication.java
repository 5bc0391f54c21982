package io.rdmarpc.startup.web;

import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import java.lang.management.ManagementFactory;
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

    /** Prints how long the start took, from that of the JVM, and ends. */
    @EventListener
    public void onReady(ApplicationReadyEvent event) {
        long started = ManagementFactory.getRuntimeMXBean().getStartTime();
        System.out.println("ready after " + (System.currentTimeMillis() - started) + " ms");
        Runtime.getRuntime().halt(0);
    }

    public static void main(String[] args) {
        SpringApplication.run(WebApplication.class, args);
    }
}
