/** The system call that binds a polling thread to a processor. */
@NullMarked
package io.rdmarpc.rpc.runtime.ffi;

import org.jspecify.annotations.NullMarked;
