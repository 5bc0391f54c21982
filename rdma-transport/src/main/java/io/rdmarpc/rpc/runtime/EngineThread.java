package io.rdmarpc.rpc.runtime;

import java.util.concurrent.ThreadFactory;

/** The platform thread of a {@link PollingThread}. It knows the number of its engine. */
final class EngineThread extends Thread {

    private final int engine;

    private EngineThread(Runnable task, String name, int engine) {
        super(task, name);
        setDaemon(true);
        this.engine = engine;
    }

    /** Returns a factory of daemon threads for one engine. */
    static ThreadFactory factory(String name, int engine) {
        return task -> new EngineThread(task, name, engine);
    }

    int engine() {
        return engine;
    }
}
