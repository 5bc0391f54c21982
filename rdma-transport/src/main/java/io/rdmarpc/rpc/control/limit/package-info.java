/** What one peer may have of what all peers share: sessions, handshakes, receive buffers, bytes, and access errors. */
@NullMarked
package io.rdmarpc.rpc.control.limit;

import org.jspecify.annotations.NullMarked;
