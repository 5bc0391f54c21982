/** Calls of C functions: struct layouts, errno, and the functions of the C library that both providers need. */
@NullMarked
package io.rdmarpc.verbs.ffi;

import org.jspecify.annotations.NullMarked;
