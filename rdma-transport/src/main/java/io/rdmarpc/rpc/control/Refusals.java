package io.rdmarpc.rpc.control;

import io.rdmarpc.rpc.error.RdmaContractException;
import io.rdmarpc.rpc.error.RdmaRefusedException;
import io.rdmarpc.rpc.error.RefusalCode;
import java.io.IOException;

/** What a server's refusal means for a caller. */
final class Refusals {

    private Refusals() {}

    /** Returns an {@link IOException} when trying again may help, else what the caller gets at once. */
    static Exception failure(RefusalCode code, String reason) {
        String words = "the server refuses the session: " + reason;
        return switch (code) {
            case VERSION, PROVIDER -> new RdmaContractException(words);
            case UNAUTHENTICATED -> new RdmaRefusedException(code, words);
            default -> new IOException(words, new RdmaRefusedException(code, words));
        };
    }
}
