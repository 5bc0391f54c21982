/** The structs of libibverbs: layouts, and accessors of their fields. */
@NullMarked
package io.rdmarpc.verbs.ibverbs.ffi.struct;

import org.jspecify.annotations.NullMarked;
