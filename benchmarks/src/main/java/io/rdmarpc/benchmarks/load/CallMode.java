package io.rdmarpc.benchmarks.load;

/**
 * How calls are made; without it a number says little.
 *
 * @param api what the caller gives and gets
 * @param dispatch where the server's code runs
 * @param polling who looks for messages
 */
public record CallMode(String api, String dispatch, String polling) {

    @Override
    public String toString() {
        return api + "; " + dispatch + "; " + polling;
    }
}
