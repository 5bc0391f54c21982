/** Messages between two remote memories, and the encoding of messages and tokens. */
@NullMarked
package io.rdmarpc.remote.wire;

import org.jspecify.annotations.NullMarked;
