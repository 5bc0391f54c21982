/** Parts of a call, each for itself, by JMH. */
@NullMarked
package io.rdmarpc.benchmarks.micro;

import org.jspecify.annotations.NullMarked;
