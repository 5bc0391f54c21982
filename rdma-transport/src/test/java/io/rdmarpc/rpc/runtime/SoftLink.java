package io.rdmarpc.rpc.runtime;

import java.util.stream.Stream;

/** The link between two software RNICs of a test. */
enum SoftLink {
    SHARED_MEMORY("soft.shared-memory.enabled=true"),
    UDP("soft.shared-memory.enabled=false");

    private final String option;

    SoftLink(String option) {
        this.option = option;
    }

    /** Returns the options of a runtime on such a link, with additional ones. */
    String[] options(String... more) {
        return Stream.concat(Stream.of(option), Stream.of(more)).toArray(String[]::new);
    }
}
