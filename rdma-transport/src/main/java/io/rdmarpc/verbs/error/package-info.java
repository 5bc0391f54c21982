/** Exceptions for failed verbs and invalid settings, and the error numbers of the C library. */
@NullMarked
package io.rdmarpc.verbs.error;

import org.jspecify.annotations.NullMarked;
