package io.rdmarpc.docs.contracts;

import io.rdmarpc.annotation.RdmaService;
import java.util.List;

@RdmaService
public interface Greeter {

    List<String> greet(String name);
}
