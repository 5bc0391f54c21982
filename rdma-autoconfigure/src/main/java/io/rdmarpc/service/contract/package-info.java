/**
 * Reads a service interface: its methods, their types and their settings, and rejects interfaces that cannot be a service.
 */
@NullMarked
package io.rdmarpc.service.contract;

import org.jspecify.annotations.NullMarked;
