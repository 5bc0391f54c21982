/** Support for tests of applications: an in-process pair of server and clients, and a slice. */
@NullMarked
package io.rdmarpc.autoconfigure.test;

import org.jspecify.annotations.NullMarked;
