/** The structs of libibverbs: layouts, and readers and writers of their fields. */
@NullMarked
package io.rdmarpc.verbs.ibverbs.ffi.struct;

import org.jspecify.annotations.NullMarked;
