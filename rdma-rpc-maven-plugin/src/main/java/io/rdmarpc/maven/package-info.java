/** Maven goals that compare the contracts of services with stored ones. */
@NullMarked
package io.rdmarpc.maven;

import org.jspecify.annotations.NullMarked;
