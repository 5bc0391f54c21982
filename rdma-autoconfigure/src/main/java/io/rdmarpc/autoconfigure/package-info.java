/** Spring Boot auto-configuration: properties, client scanning, life cycle, meters, failure analyzers. */
@NullMarked
package io.rdmarpc.autoconfigure;

import org.jspecify.annotations.NullMarked;
