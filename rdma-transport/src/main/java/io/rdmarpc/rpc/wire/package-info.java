/** Encoding and decoding of the packet header and the control messages. */
@NullMarked
package io.rdmarpc.rpc.wire;

import org.jspecify.annotations.NullMarked;
