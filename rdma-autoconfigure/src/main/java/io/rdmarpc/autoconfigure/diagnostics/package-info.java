/**
 * Internal: analyzers of failures at start-up, which Spring Boot loads by name.
 */
@NullMarked
package io.rdmarpc.autoconfigure.diagnostics;

import org.jspecify.annotations.NullMarked;
