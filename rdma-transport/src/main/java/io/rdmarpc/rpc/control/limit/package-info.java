/** Limits and fair shares of one peer: sessions, handshakes, receive buffers, bytes, and access errors. */
@NullMarked
package io.rdmarpc.rpc.control.limit;

import org.jspecify.annotations.NullMarked;
