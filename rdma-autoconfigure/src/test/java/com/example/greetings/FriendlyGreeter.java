package com.example.greetings;

import org.springframework.stereotype.Component;

@Component
class FriendlyGreeter implements Greeter {

    @Override
    public String greet(String name) {
        return "Hello, " + name;
    }
}
