/** JMH benchmarks of the parts of a call. */
@NullMarked
package io.rdmarpc.benchmarks.micro;

import org.jspecify.annotations.NullMarked;
