package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.soft.ffi.Epoll;
import io.rdmarpc.verbs.soft.ffi.EventFd;
import io.rdmarpc.verbs.soft.ffi.TimerFd;

/** Sleeps in one epoll set: the link's descriptors and bells, a timer, and an eventfd for other threads. */
final class EpollSleeper implements Sleeper {

    private final Epoll set;
    private final TimerFd timer;
    private final EventFd bell;

    /**
     * Makes one.
     *
     * @param descriptors end a sleep as long as they are readable
     * @param bells end a sleep each time somebody writes to them
     */
    EpollSleeper(int[] descriptors, int[] bells) {
        set = Epoll.open(SoftDevice.NAME);
        timer = TimerFd.open(SoftDevice.NAME);
        bell = EventFd.open(SoftDevice.NAME);
        for (int descriptor : descriptors) {
            set.watch(descriptor);
        }
        for (int other : bells) {
            set.watchForNews(other);
        }
        set.watchForNews(timer.descriptor());
        set.watchForNews(bell.descriptor());
    }

    @Override
    public void sleep(long nanos) {
        if (nanos < DriverSeat.LONGEST_SLEEP_NANOS) {
            timer.arm(nanos);
        } else {
            timer.disarm();
        }
        set.await();
    }

    @Override
    public void wakeUp() {
        bell.ring();
    }

    @Override
    public void close() {
        set.close();
        timer.close();
        bell.close();
    }
}
