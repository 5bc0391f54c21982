/** The functions and the structs of librdmacm. */
@NullMarked
package io.rdmarpc.verbs.ibverbs.ffi.cm;

import org.jspecify.annotations.NullMarked;
