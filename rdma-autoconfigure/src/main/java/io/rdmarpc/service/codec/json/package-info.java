/**
 * Messages as JSON, with the application's Jackson.
 */
@NullMarked
package io.rdmarpc.service.codec.json;

import org.jspecify.annotations.NullMarked;
