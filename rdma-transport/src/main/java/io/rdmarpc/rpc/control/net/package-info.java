/**
 * The network layer of control connections: the event loop of one thread, timers, TLS, frames, and a rate-limited log.
 */
@NullMarked
package io.rdmarpc.rpc.control.net;

import org.jspecify.annotations.NullMarked;
