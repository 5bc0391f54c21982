/**
 * Auto-configuration of meters and of observations.
 */
@NullMarked
package io.rdmarpc.autoconfigure.observation;

import org.jspecify.annotations.NullMarked;
