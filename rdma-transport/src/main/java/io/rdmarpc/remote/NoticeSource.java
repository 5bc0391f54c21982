package io.rdmarpc.remote;

import java.util.List;

/** Where notices come from: one peer's {@link NoticeQueue}. Its device may fail in each of these. */
interface NoticeSource {

    /** Asks for an event with the next notice. */
    void arm();

    /** Takes some of what has come; returns how much there was, 0 for nothing. Notices thread. */
    int poll(List<NoticeQueue.Notice> into);

    /** Takes all that has come by now; more may come meanwhile. Notices thread. */
    void pollAll(List<NoticeQueue.Notice> into);
}
