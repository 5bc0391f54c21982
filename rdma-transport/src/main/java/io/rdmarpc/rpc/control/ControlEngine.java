package io.rdmarpc.rpc.control;

import io.rdmarpc.rpc.control.limit.ReceiveBudget;

/**
 * One engine, as the control channel sees it.
 *
 * @param parts what it consists of
 * @param budget how much of its receive ring is spoken for
 */
record ControlEngine(ControlParts parts, ReceiveBudget budget) {}
