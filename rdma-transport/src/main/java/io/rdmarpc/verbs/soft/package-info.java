/**
 * The software RNIC: RoCE v2 in user space behind the verbs API. This package has the provider and the parts of a
 * device that users create. Each internal part has a package of its own.
 */
@NullMarked
package io.rdmarpc.verbs.soft;

import org.jspecify.annotations.NullMarked;
