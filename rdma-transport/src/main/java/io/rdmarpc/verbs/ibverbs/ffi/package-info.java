/** All restricted native calls of libibverbs: symbols, struct layouts, errno. */
@NullMarked
package io.rdmarpc.verbs.ibverbs.ffi;

import org.jspecify.annotations.NullMarked;
