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
     * Creates a parker.
     *
     * @param descriptors descriptors that end a sleep as long as they are readable
     * @param bells bells that end a sleep each time a peer rings: {@link Bell#descriptor()}
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
            set.watchEdges(each);
        }
        set.watchEdges(timer.descriptor());
        set.watchEdges(bell.descriptor());
    }

    /** Returns at once while the bells may have more rings than the last sleep has read. */
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
            if (set.hasEndedWait(each)) {
                silence(each);
            }
        }
    }

    private void silence(int each) {
        switch (Bell.silence(each)) {
            case COMPLETE -> {}
            case PARTIAL -> moreRings = true;
            case BROKEN -> {
                set.remove(each);
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
