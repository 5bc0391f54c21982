/** The examples of {@code docs/}, as they are printed there. */
@NullMarked
package io.rdmarpc.docs;

import org.jspecify.annotations.NullMarked;
