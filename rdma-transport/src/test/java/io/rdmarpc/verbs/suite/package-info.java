/**
 * One suite for every provider of verbs. The cases use only the public API. A class ending in {@code Cases} has the
 * cases of one subject. A class ending in {@code SuiteTest} or {@code SuiteDeviceTest} runs all of them with one
 * provider.
 */
@NullMarked
package io.rdmarpc.verbs.suite;

import org.jspecify.annotations.NullMarked;
