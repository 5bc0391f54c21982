/** The system calls by which a thread that polls chooses its processor, and offers it to others. */
@NullMarked
package io.rdmarpc.rpc.runtime.ffi;

import org.jspecify.annotations.NullMarked;
