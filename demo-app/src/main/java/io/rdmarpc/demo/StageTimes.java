package io.rdmarpc.demo;

/**
 * When one call reached each stage at the server, by {@link System#nanoTime()}: the same clock for all processes of one
 * Linux host. 0 is a stage that was not seen.
 *
 * @param arrived the polling thread, or the web server, has the request
 * @param started a thread works on it
 * @param methodStarted the arguments are read, the bean's method starts
 * @param methodEnded the bean's method has returned
 * @param answered the answer is written and handed over
 */
public record StageTimes(long arrived, long started, long methodStarted, long methodEnded, long answered) {}
