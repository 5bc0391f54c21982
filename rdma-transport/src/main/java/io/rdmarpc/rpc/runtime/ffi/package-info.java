/** System calls of polling threads: processor affinity and yielding the core. */
@NullMarked
package io.rdmarpc.rpc.runtime.ffi;

import org.jspecify.annotations.NullMarked;
