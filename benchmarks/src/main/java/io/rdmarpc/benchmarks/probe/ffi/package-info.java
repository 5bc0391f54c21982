/** The system calls of the probes. They do not use the transport's own bindings, so that both do not share an error. */
@NullMarked
package io.rdmarpc.benchmarks.probe.ffi;

import org.jspecify.annotations.NullMarked;
