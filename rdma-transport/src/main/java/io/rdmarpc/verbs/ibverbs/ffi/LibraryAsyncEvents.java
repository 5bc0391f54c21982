package io.rdmarpc.verbs.ibverbs.ffi;

import io.rdmarpc.verbs.ffi.ControlCall;
import io.rdmarpc.verbs.ffi.LibC;
import io.rdmarpc.verbs.ibverbs.ffi.struct.AsyncEventStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.ContextStruct;

/** The asynchronous events of an open device, from its {@code async_fd}. */
final class LibraryAsyncEvents implements AsyncEventSource {

    private final ControlCall get;
    private final ControlCall acknowledge;
    private final ContextStruct context;
    private final DescriptorWait wait;

    LibraryAsyncEvents(ControlCall get, ControlCall acknowledge, ContextStruct context, String device) {
        this.get = get;
        this.acknowledge = acknowledge;
        this.context = context;
        this.wait = DescriptorWait.on(context.asyncFd(), device);
    }

    @Override
    public void await(long nanos) {
        wait.await(nanos);
    }

    @Override
    public int take(AsyncEventStruct into) {
        int errno;
        do {
            errno = get.call(context.pointer(), into.memory().address()).error();
        } while (errno == LibC.EINTR);
        return errno;
    }

    @Override
    public void acknowledge(AsyncEventStruct event) {
        acknowledge.call(event.memory().address());
    }

    @Override
    public void wakeUp() {
        wait.wakeUp();
    }

    @Override
    public void close() {
        wait.close();
    }
}
