/**
 * Benchmarks of JUCX, the Java interface of UCX, between two processes, for comparison on the same device. UCX selects
 * devices and transports by its environment variables.
 */
@NullMarked
package io.rdmarpc.benchmarks.jucx;

import org.jspecify.annotations.NullMarked;
