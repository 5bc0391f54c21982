/** Every restricted native call of this library: symbols, struct layouts, errno. */
@NullMarked
package io.rdmarpc.verbs.ibverbs.ffi;

import org.jspecify.annotations.NullMarked;
