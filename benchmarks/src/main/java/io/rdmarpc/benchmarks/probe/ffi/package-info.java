/** The system calls of the probes; the transport's own are not used, so that no mistake is in both. */
@NullMarked
package io.rdmarpc.benchmarks.probe.ffi;

import org.jspecify.annotations.NullMarked;
