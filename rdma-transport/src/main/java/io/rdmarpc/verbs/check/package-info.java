/** Checks of work requests before they are posted, for providers. */
@NullMarked
package io.rdmarpc.verbs.check;

import org.jspecify.annotations.NullMarked;
