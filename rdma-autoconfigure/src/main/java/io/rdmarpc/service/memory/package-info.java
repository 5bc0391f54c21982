/** Remote memory for Spring applications: one-sided operations on targets by name, and listeners of writes. */
@NullMarked
package io.rdmarpc.service.memory;

import org.jspecify.annotations.NullMarked;
