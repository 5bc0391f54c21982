package io.rdmarpc.verbs.soft;

/** Who moves a software RNIC on. */
public enum ProgressMode {
    /** Whoever polls its completion queues or waits on its completion channels; between that it stands still. */
    OWNER,
    /** Also a thread of its own, so that peers are answered while nobody polls. */
    THREAD
}
