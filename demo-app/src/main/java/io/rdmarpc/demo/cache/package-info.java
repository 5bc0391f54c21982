/** A key-value cache that its clients read with one-sided READs, beside the same by calls. */
@NullMarked
package io.rdmarpc.demo.cache;

import org.jspecify.annotations.NullMarked;
