/** Rights, tokens, grants, limits, listeners and exceptions of lent memory. */
@NullMarked
package io.rdmarpc.remote.lease;

import org.jspecify.annotations.NullMarked;
