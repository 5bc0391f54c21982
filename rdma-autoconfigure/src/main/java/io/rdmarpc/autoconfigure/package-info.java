/**
 * Auto-configuration of the engine, and the types with which an application changes it: customizers and connection
 * details. Every other topic has its own package. Public classes of packages marked "internal" may change at any
 * time.
 */
@NullMarked
package io.rdmarpc.autoconfigure;

import org.jspecify.annotations.NullMarked;
