/** How fast the software RNIC's shared-memory link is, beside what the machine can do at all. */
@NullMarked
package io.rdmarpc.benchmarks.soft;

import org.jspecify.annotations.NullMarked;
