package io.rdmarpc.readme;

import io.rdmarpc.annotation.RdmaClient;
import org.springframework.stereotype.Component;

@Component
record Welcome(@RdmaClient Greeter greeter) {
    String welcome(String name) {
        return greeter.greet(name);
    }
}
