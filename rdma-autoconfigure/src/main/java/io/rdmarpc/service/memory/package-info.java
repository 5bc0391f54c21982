/** Memory of other processes for Spring applications: one-sided operations by the names of targets, and listeners. */
@NullMarked
package io.rdmarpc.service.memory;

import org.jspecify.annotations.NullMarked;
