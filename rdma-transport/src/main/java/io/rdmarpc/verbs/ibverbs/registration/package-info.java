/** Registration of memory with libibverbs: ordinary memory, mapped files, huge pages and dma-bufs, and its limits. */
@NullMarked
package io.rdmarpc.verbs.ibverbs.registration;

import org.jspecify.annotations.NullMarked;
