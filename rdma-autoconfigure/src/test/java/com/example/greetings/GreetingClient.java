package com.example.greetings;

import io.rdmarpc.annotation.RdmaClient;
import org.springframework.boot.CommandLineRunner;
import org.springframework.stereotype.Component;

@Component
class GreetingClient implements CommandLineRunner {

    private final Greeter greeter;

    GreetingClient(@RdmaClient Greeter greeter) {
        this.greeter = greeter;
    }

    @Override
    public void run(String... args) {
        System.out.println("response: " + greeter.greet("Ada"));
    }
}
