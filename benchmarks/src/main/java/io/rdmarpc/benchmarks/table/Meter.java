package io.rdmarpc.benchmarks.table;

import java.io.IOException;

/** Measures one number again and again. It sleeps in between, so that something else can be measured then. */
interface Meter extends AutoCloseable {

    double measure() throws IOException;

    @Override
    void close() throws IOException;
}
