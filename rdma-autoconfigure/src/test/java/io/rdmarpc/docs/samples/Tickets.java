package io.rdmarpc.docs.samples;

import io.rdmarpc.annotation.RdmaService;

/** The service of the examples in docs/how-to/handle-errors.md. */
@RdmaService
interface Tickets {

    int sell(String show, int seats);
}
