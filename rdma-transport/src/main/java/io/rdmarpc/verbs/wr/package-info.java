/** Work requests and work completions, as arrays of C structs. */
@NullMarked
package io.rdmarpc.verbs.wr;

import org.jspecify.annotations.NullMarked;
