/** RoCE v2 headers as bytes: layout, encoding, decoding, ICRC. */
@NullMarked
package io.rdmarpc.verbs.soft.wire;

import org.jspecify.annotations.NullMarked;
