/**
 * Compares the contracts of services with stored ones, so that a build fails before a change breaks peers that run another
 * release.
 */
@NullMarked
package io.rdmarpc.service.contract.check;

import org.jspecify.annotations.NullMarked;
