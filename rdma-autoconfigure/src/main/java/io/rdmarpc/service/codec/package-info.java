/** How arguments and results become bytes: Kryo, into registered memory and out of it. */
@NullMarked
package io.rdmarpc.service.codec;

import org.jspecify.annotations.NullMarked;
