/** Registered memory: regions and windows. */
@NullMarked
package io.rdmarpc.verbs.mr;

import org.jspecify.annotations.NullMarked;
