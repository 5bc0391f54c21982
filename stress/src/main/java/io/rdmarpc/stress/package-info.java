/** Shared parts of several stress tests. The tests are in the packages of the classes that they test. */
@NullMarked
package io.rdmarpc.stress;

import org.jspecify.annotations.NullMarked;
