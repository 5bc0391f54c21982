/** The software RNIC: RoCE v2 in user space behind the same verbs. Here are the provider and what makes the parts of a device; each part is in a package of its own. */
@NullMarked
package io.rdmarpc.verbs.soft;

import org.jspecify.annotations.NullMarked;
