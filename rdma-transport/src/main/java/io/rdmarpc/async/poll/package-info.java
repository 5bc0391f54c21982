/** Pollers of a completion queue, and the budget from which connections reserve completions. */
@NullMarked
package io.rdmarpc.async.poll;

import org.jspecify.annotations.NullMarked;
