package io.rdmarpc.demo.live;

/**
 * The stages of a call. The page has a label and a color for each.
 */
public enum Stage {
    /** The client encodes the arguments. */
    SERIALIZE,
    /** The call waits for the polling thread, the window and credits. */
    QUEUE,
    /** The request travels from the client to the server. */
    THERE,
    /** The call waits for a thread, which then decodes the arguments. */
    DISPATCH,
    /** The bean's method runs. */
    METHOD,
    /** The server encodes the result and hands it over to the transport. */
    ANSWER,
    /** The response travels from the server to the client. */
    BACK,
    /** The caller's thread wakes up. */
    WAKE,
    /** The client decodes the result. */
    READ
}
