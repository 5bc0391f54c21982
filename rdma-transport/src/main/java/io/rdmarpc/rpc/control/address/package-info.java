/** Decides which addresses and verbs providers of two hosts reach each other. */
@NullMarked
package io.rdmarpc.rpc.control.address;

import org.jspecify.annotations.NullMarked;
