/** A link that loses, repeats, delays and changes packets, by chance or by a script, as an option of the software RNIC wants it. */
@NullMarked
package io.rdmarpc.verbs.soft.link.fault;

import org.jspecify.annotations.NullMarked;
