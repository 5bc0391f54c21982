/** Verbs examples that interoperate with {@code ibv_rc_pingpong} and {@code ibv_ud_pingpong} of rdma-core. */
@NullMarked
package io.rdmarpc.examples.pingpong;

import org.jspecify.annotations.NullMarked;
