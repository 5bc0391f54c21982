/** The packet header and the control messages as bytes: layout, encoding, decoding. */
@NullMarked
package io.rdmarpc.rpc.wire;

import org.jspecify.annotations.NullMarked;
