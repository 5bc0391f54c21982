package io.rdmarpc.demo;

/**
 * Times at which one call reached each stage at the server, by {@link System#nanoTime()}. All processes of one Linux
 * host share that clock. 0 means that the stage was not recorded.
 *
 * @param arrived the polling thread, or the web server, received the request
 * @param started a thread began to execute the call
 * @param methodStarted the arguments were decoded and the bean's method began
 * @param methodEnded the bean's method returned
 * @param answered the response was encoded and handed over to the transport
 */
public record StageTimes(long arrived, long started, long methodStarted, long methodEnded, long answered) {}
