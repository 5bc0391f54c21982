/** Connections by librdmacm. */
@NullMarked
package io.rdmarpc.verbs.ibverbs.cm;

import org.jspecify.annotations.NullMarked;
