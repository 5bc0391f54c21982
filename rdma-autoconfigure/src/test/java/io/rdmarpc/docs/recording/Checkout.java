package io.rdmarpc.docs.recording;

import io.rdmarpc.annotation.RdmaService;

@RdmaService(name = "shop.Checkout")
public interface Checkout {

    String place(String article);
}
