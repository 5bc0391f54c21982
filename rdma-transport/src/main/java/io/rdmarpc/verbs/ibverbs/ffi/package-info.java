/** The restricted native calls of the provider for hardware RDMA NICs: symbols, struct layouts, errno. */
@NullMarked
package io.rdmarpc.verbs.ibverbs.ffi;

import org.jspecify.annotations.NullMarked;
