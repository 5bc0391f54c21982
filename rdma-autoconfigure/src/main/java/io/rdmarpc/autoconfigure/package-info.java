/**
 * Auto-configuration of the engine, and what an application defines to change it: customizers, connection details. Each other topic
 * has a package of its own. Public classes of packages that say "internal" may change at any time.
 */
@NullMarked
package io.rdmarpc.autoconfigure;

import org.jspecify.annotations.NullMarked;
