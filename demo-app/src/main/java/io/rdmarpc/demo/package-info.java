/** An order service and its client, both Spring Boot applications. */
@NullMarked
package io.rdmarpc.demo;

import org.jspecify.annotations.NullMarked;
