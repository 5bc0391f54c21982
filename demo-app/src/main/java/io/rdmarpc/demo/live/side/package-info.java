/** The two sides that the page compares: HTTP and RDMA, and what their processes report. */
@NullMarked
package io.rdmarpc.demo.live.side;

import org.jspecify.annotations.NullMarked;
