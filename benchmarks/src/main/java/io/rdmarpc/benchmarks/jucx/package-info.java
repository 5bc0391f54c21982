/**
 * JUCX, the Java interface of UCX, between two processes: what another Java library makes of the same device. UCX is told by
 * its environment variables which devices and transports to use.
 */
@NullMarked
package io.rdmarpc.benchmarks.jucx;

import org.jspecify.annotations.NullMarked;
