/** The one place that knows all parts: opens devices, starts threads, closes in reverse order. */
@NullMarked
package io.rdmarpc.rpc.runtime;

import org.jspecify.annotations.NullMarked;
