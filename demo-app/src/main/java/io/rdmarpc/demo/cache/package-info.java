/** A key-value cache that clients read with one-sided READs, and for comparison with calls. */
@NullMarked
package io.rdmarpc.demo.cache;

import org.jspecify.annotations.NullMarked;
