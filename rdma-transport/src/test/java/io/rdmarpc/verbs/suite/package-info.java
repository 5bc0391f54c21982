/**
 * One suite for every provider of verbs: the cases know the public API only. A class ending in {@code Cases} holds the
 * cases of one subject; a class ending in {@code SuiteTest} or {@code SuiteDeviceTest} runs them all on one provider.
 */
@NullMarked
package io.rdmarpc.verbs.suite;

import org.jspecify.annotations.NullMarked;
