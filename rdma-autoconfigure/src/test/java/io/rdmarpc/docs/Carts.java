package io.rdmarpc.docs;

import io.rdmarpc.annotation.RdmaKey;
import io.rdmarpc.annotation.RdmaService;

@RdmaService
public interface Carts {
    void add(@RdmaKey String customer, String article);
}
