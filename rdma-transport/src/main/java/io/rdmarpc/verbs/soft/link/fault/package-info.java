/**
 * A link that drops, duplicates, reorders, delays and corrupts packets, at random or by a script, as configured by
 * options of the software RNIC.
 */
@NullMarked
package io.rdmarpc.verbs.soft.link.fault;

import org.jspecify.annotations.NullMarked;
