/**
 * Unreliable connections of the software RNIC, and the two ends of a message, which reliable connections use as well.
 */
@NullMarked
package io.rdmarpc.verbs.soft.uc;

import org.jspecify.annotations.NullMarked;
