/** The page: load over RDMA and over HTTP side by side, and what both cost. */
@NullMarked
package io.rdmarpc.demo.live;

import org.jspecify.annotations.NullMarked;
