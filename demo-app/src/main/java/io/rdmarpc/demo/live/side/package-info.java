/** The clients of the transports that the page compares, and the state of their processes. */
@NullMarked
package io.rdmarpc.demo.live.side;

import org.jspecify.annotations.NullMarked;
