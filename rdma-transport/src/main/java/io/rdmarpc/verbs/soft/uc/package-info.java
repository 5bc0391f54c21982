/**
 * Unreliable connections of the software RNIC. The writer and receiver of messages are for reliable connections as
 * well.
 */
@NullMarked
package io.rdmarpc.verbs.soft.uc;

import org.jspecify.annotations.NullMarked;
