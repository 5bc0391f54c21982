/**
 * Messages of Kryo. An application that customizes the format imports
 * {@link io.rdmarpc.service.codec.kryo.KryoCustomizer}.
 */
@NullMarked
package io.rdmarpc.service.codec.kryo;

import org.jspecify.annotations.NullMarked;
