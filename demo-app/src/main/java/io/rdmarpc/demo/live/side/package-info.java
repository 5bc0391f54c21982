/** The RDMA client and the HTTP client that the page compares, and the state of their processes. */
@NullMarked
package io.rdmarpc.demo.live.side;

import org.jspecify.annotations.NullMarked;
