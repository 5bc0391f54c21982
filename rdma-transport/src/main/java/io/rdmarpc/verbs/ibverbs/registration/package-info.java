/** How memory is registered with libibverbs: ordinary memory, mapped files, huge pages and dma-bufs, and what limits it. */
@NullMarked
package io.rdmarpc.verbs.ibverbs.registration;

import org.jspecify.annotations.NullMarked;
