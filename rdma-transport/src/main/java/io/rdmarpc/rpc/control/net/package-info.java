/** Sockets of control connections: the event loop of one thread, timers, TLS, frames, and a log that peers cannot fill. */
@NullMarked
package io.rdmarpc.rpc.control.net;

import org.jspecify.annotations.NullMarked;
