package io.rdmarpc.service.codec;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.rpc.message.MessageAllocator;
import io.rdmarpc.service.DetailedFailure;
import io.rdmarpc.service.RdmaDetailedRemoteException;
import io.rdmarpc.service.RdmaSerializationException;
import io.rdmarpc.verbs.PeerText;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Codec of responses of a method that declares exceptions with fields. A result is a byte 0 and the result. A failure
 * is a byte with the exception's number from 1, a byte with the status, the message and the fields.
 */
final class FailureCodec {

    /** Bytes before a result. */
    static final int RESULT_HEAD = 1;

    private static final int FAILURE_HEAD = 2;

    private final List<DetailedFailure> failures;
    private final List<MessageCodec> codecs;
    private final String place;

    FailureCodec(List<DetailedFailure> failures, List<MessageCodec> codecs, String place) {
        this.failures = List.copyOf(failures);
        this.codecs = List.copyOf(codecs);
        this.place = place;
    }

    boolean isEmpty() {
        return failures.isEmpty();
    }

    static MessageBuffer markedAsResult(MessageBuffer message) {
        message.segment().set(ValueLayout.JAVA_BYTE, 0, (byte) 0);
        return message;
    }

    /** Returns null for an exception without fields that the method declares. */
    @Nullable
    MessageBuffer encode(MessageAllocator allocator, RpcStatus status, String text, Throwable thrown) {
        DetailedFailure failure = DetailedFailure.matching(failures, thrown);
        if (failure == null) {
            return null;
        }
        int number = failures.indexOf(failure);
        MessageBuffer message = codecs.get(number).encode(allocator, FAILURE_HEAD, failure.valuesOf(text, thrown));
        message.segment().set(ValueLayout.JAVA_BYTE, 0, (byte) (number + 1));
        message.segment().set(ValueLayout.JAVA_BYTE, 1, (byte) status.code());
        return message;
    }

    /**
     * Throws if the message is a failure. Has no effect for a result.
     *
     * @throws RdmaDetailedRemoteException if the message is a failure
     */
    void throwFailure(InboundMessage message) {
        byte number = message.payload().byteSize() < RESULT_HEAD
                ? -1
                : message.payload().get(ValueLayout.JAVA_BYTE, 0);
        if (number == 0) {
            return;
        }
        if (number < 0 || number > failures.size() || message.payload().byteSize() < FAILURE_HEAD) {
            throw new RdmaSerializationException(
                    "cannot read " + place + ": the message is failure " + number + ", but the method declares "
                            + failures.size(),
                    null);
        }
        RpcStatus status = RpcStatus.of(Byte.toUnsignedInt(message.payload().get(ValueLayout.JAVA_BYTE, 1)));
        @Nullable Object[] values = codecs.get(number - 1).decode(message, FAILURE_HEAD);
        String text = String.valueOf(values[0]);
        throw new RdmaDetailedRemoteException(
                status == RpcStatus.OK ? RpcStatus.INTERNAL : status,
                failures.get(number - 1),
                PeerText.of(text, text.length()),
                Arrays.copyOfRange(values, 1, values.length));
    }
}
