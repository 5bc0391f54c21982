/** Pollers of a completion queue, and the share of it that each connection has. */
@NullMarked
package io.rdmarpc.async.poll;

import org.jspecify.annotations.NullMarked;
