package io.rdmarpc.docs.testing;

import io.rdmarpc.annotation.RdmaService;

/** The service of docs/how-to/test-services.md. */
@RdmaService
public interface Orders {
    long total(String article, int count);
}
