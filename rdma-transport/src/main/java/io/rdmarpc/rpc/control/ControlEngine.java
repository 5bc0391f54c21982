package io.rdmarpc.rpc.control;

import io.rdmarpc.rpc.control.limit.ReceiveBudget;

/**
 * An engine with the control side's budget of its receive ring.
 *
 * @param parts the engine's parts
 * @param budget the reserved entries of its receive ring
 */
record ControlEngine(ControlParts parts, ReceiveBudget budget) {}
