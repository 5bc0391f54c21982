/** Messages between two remote memories, their encoded form, and that of tokens. */
@NullMarked
package io.rdmarpc.remote.wire;

import org.jspecify.annotations.NullMarked;
