/** The software RNIC: RoCE v2 in user space behind the same verbs. */
@NullMarked
package io.rdmarpc.verbs.soft;

import org.jspecify.annotations.NullMarked;
