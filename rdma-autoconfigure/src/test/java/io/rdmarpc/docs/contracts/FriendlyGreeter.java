package io.rdmarpc.docs.contracts;

import java.util.List;
import org.springframework.stereotype.Component;

@Component
class FriendlyGreeter implements Greeter {

    @Override
    public List<String> greet(String name) {
        return List.of("Hello, " + name, "Bonjour, " + name);
    }
}
