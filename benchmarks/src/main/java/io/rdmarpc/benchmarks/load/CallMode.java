package io.rdmarpc.benchmarks.load;

/**
 * How calls are made. Figures of different modes are not comparable.
 *
 * @param api types of request and response
 * @param dispatch thread that runs the server's method
 * @param polling threads that poll for messages
 */
public record CallMode(String api, String dispatch, String polling) {

    @Override
    public String toString() {
        return api + "; " + dispatch + "; " + polling;
    }
}
