/** The owner's side: what is lent to peers, until when, and how it is taken back. */
@NullMarked
package io.rdmarpc.remote.lender;

import org.jspecify.annotations.NullMarked;
