package io.rdmarpc.verbs.soft.progress;

import io.rdmarpc.verbs.soft.ffi.Bell;
import io.rdmarpc.verbs.soft.ffi.Epoll;
import io.rdmarpc.verbs.soft.ffi.EventFd;
import io.rdmarpc.verbs.soft.ffi.TimerFd;
import io.rdmarpc.verbs.soft.port.DeviceConstants;
import java.util.stream.IntStream;

/** Sleeps in one epoll set: the link's descriptors and bells, a timer, and an eventfd for other threads. */
public final class EpollParker implements Parker {

    private final Epoll set;
    private final TimerFd timer;
    private final EventFd bell;
    private int[] bells;
    private boolean moreRings;

    /**
     * Makes one.
     *
     * @param descriptors end a sleep as long as they are readable
     * @param bells end a sleep each time a peer rings: {@link Bell#descriptor()}
     */
    public EpollParker(int[] descriptors, int[] bells) {
        this.bells = bells;
        set = Epoll.open(DeviceConstants.NAME);
        timer = TimerFd.open(DeviceConstants.NAME);
        bell = EventFd.open(DeviceConstants.NAME);
        for (int descriptor : descriptors) {
            set.watch(descriptor);
        }
        for (int each : bells) {
            set.watchForNews(each);
        }
        set.watchForNews(timer.descriptor());
        set.watchForNews(bell.descriptor());
    }

    /** Ends at once, some rings less, while peers have rung more often than one sleep takes. */
    @Override
    public void sleep(long nanos) {
        if (moreRings) {
            moreRings = false;
            for (int each : bells) {
                silence(each);
            }
            return;
        }
        if (nanos < LONGEST_NANOS) {
            timer.arm(nanos);
        } else {
            timer.disarm();
        }
        set.await();
        for (int each : bells) {
            if (set.hasEndedIt(each)) {
                silence(each);
            }
        }
    }

    private void silence(int each) {
        switch (Bell.silence(each)) {
            case COMPLETE -> {}
            case PARTIAL -> moreRings = true;
            case BROKEN -> {
                set.forget(each);
                bells = IntStream.of(bells).filter(other -> other != each).toArray();
            }
        }
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
