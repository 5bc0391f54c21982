/** The terms of lent memory: rights, tokens, grants, limits, listeners of writes, and how it fails. */
@NullMarked
package io.rdmarpc.remote.lease;

import org.jspecify.annotations.NullMarked;
