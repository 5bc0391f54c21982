package io.rdmarpc.demo.live;

/**
 * What a call spends its time on; the page has words and a colour for each.
 */
public enum Stage {
    /** The client writes the arguments. */
    SERIALIZE,
    /** The call waits for the polling thread, the window and credits. */
    QUEUE,
    /** From one process to the other. */
    THERE,
    /** From the one who received it to the bean's method: a thread starts, the arguments are read. */
    DISPATCH,
    /** The bean's method. */
    METHOD,
    /** The server writes the result and hands it over. */
    ANSWER,
    /** From one process to the other. */
    BACK,
    /** The caller's thread goes on. */
    WAKE,
    /** The client reads the result. */
    READ
}
