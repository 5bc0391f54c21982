package com.example.contract;

import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.annotation.RdmaService;

@RdmaService(name = "stock")
public interface Stock {

    @RdmaMethod(timeout = "10s", idempotent = true)
    Level level(String item);

    record Level(String item, int available) {}
}
