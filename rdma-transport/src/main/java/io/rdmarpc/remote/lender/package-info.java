/** Lending memory to peers: grants, leases, quotas and revocation. */
@NullMarked
package io.rdmarpc.remote.lender;

import org.jspecify.annotations.NullMarked;
