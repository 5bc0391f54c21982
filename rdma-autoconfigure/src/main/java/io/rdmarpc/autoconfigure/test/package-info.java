/** Test support for applications: clients that call their own server, and a test slice. */
@NullMarked
package io.rdmarpc.autoconfigure.test;

import org.jspecify.annotations.NullMarked;
