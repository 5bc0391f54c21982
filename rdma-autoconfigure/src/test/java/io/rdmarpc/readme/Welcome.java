package io.rdmarpc.readme;

import io.rdmarpc.annotation.RdmaClient;
import org.springframework.stereotype.Component;

@Component
class Welcome {
    private final Greeter greeter;

    Welcome(@RdmaClient Greeter greeter) {
        this.greeter = greeter;
    }

    String welcome(String name) {
        return greeter.greet(name);
    }
}
