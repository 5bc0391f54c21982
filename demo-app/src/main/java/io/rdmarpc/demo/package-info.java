/** An order service and its client, each a Spring Boot application of the ordinary kind. */
@NullMarked
package io.rdmarpc.demo;

import org.jspecify.annotations.NullMarked;
