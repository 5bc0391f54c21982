package com.example.greetings;

import io.rdmarpc.annotation.RdmaService;

@RdmaService
public interface Greeter {

    String greet(String name);
}
