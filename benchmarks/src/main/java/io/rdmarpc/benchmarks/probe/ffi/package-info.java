/**
 * The system calls of the probes. They have their own bindings, so that an error in the transport's bindings does not
 * affect both.
 */
@NullMarked
package io.rdmarpc.benchmarks.probe.ffi;

import org.jspecify.annotations.NullMarked;
