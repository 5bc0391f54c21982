package io.rdmarpc.autoconfigure.test;

import org.springframework.boot.test.autoconfigure.TestSliceTestContextBootstrapper;

/** Creates the contexts of {@link RdmaTest}. */
final class RdmaTestContextBootstrapper extends TestSliceTestContextBootstrapper<RdmaTest> {

    RdmaTestContextBootstrapper() {}
}
