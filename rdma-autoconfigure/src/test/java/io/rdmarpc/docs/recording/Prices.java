package io.rdmarpc.docs.recording;

import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.annotation.RdmaMethod.Execution;
import io.rdmarpc.annotation.RdmaService;

@RdmaService(name = "shop.Prices")
public interface Prices {

    @RdmaMethod(execution = Execution.INLINE)
    long find(String article);
}
