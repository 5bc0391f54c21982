/** The runtime: opens devices, starts threads, and closes them in reverse order. */
@NullMarked
package io.rdmarpc.rpc.runtime;

import org.jspecify.annotations.NullMarked;
