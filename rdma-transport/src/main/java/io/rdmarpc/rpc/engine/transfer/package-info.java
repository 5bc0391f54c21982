/** Large messages by RDMA READ: admission, fair parts, timeouts. */
@NullMarked
package io.rdmarpc.rpc.engine.transfer;

import org.jspecify.annotations.NullMarked;
