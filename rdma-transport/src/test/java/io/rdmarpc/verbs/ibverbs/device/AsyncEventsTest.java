package io.rdmarpc.verbs.ibverbs.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.AsyncEvent;
import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.RdmaContext.Subscription;
import io.rdmarpc.verbs.SharedReceiveQueue;
import io.rdmarpc.verbs.error.Errno;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the path of an event from the C struct to the listeners, with injected events. */
@Timeout(60)
@DisplayName("Asynchronous events")
class AsyncEventsTest {

    private static final String DEVICE = "test0";
    private static final long POINTER = 0x1234_5678_9ABCL;

    /** The objects support no method, not even equals. */
    private static final Comparator<Object> BY_IDENTITY = Comparator.comparingInt(System::identityHashCode);

    private final InjectedEvents source = new InjectedEvents();
    private final EventTargets targets = new EventTargets();
    private final AtomicBoolean portIsActive = new AtomicBoolean(true);
    private final AsyncEvents events =
            new AsyncEvents(DEVICE, targets, new PortStatePoller(2, port -> port != 1 || portIsActive.get()));
    private final BlockingQueue<AsyncEvent> received = new LinkedBlockingQueue<>();

    @AfterEach
    void stop() {
        events.stop();
    }

    private Subscription listen() {
        return events.subscribe(received::add, () -> source);
    }

    private AsyncEvent next() throws InterruptedException {
        AsyncEvent event = received.poll(20, TimeUnit.SECONDS);
        assertThat(event).as("an event").isNotNull();
        return event;
    }

    private static <T> T object(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
            if (method.getName().equals("toString")) {
                return type.getSimpleName();
            }
            throw new UnsupportedOperationException(method.getName());
        }));
    }

    /** FL-09, FL-16: also events that rxe never delivers, such as QP_FATAL, DEVICE_FATAL and path migration. */
    @ParameterizedTest
    @EnumSource(AsyncEventType.class)
    @DisplayName("FL-09, FL-16: of every type arrive with their object")
    void shouldDeliverEveryTypeWithItsObject(AsyncEventType type) throws InterruptedException {
        List<Object> expected = switch (type.source()) {
            case QUEUE_PAIR -> List.of(object(QueuePair.class));
            case COMPLETION_QUEUE -> List.of(object(CompletionQueue.class));
            case SHARED_RECEIVE_QUEUE -> List.of(object(SharedReceiveQueue.class));
            case DEVICE, PORT, OTHER -> List.of();
        };
        expected.forEach(target -> targets.add(POINTER, target));
        listen();

        if (type.source() == AsyncEventType.Source.PORT) {
            source.port(type, 2);
        } else {
            source.object(type, POINTER);
        }

        AsyncEvent event = next();
        assertThat(event.type()).isEqualTo(type);
        assertThat(event.deviceName()).isEqualTo(DEVICE);
        assertThat(event.portNumber()).isEqualTo(type.source() == AsyncEventType.Source.PORT ? 2 : 0);
        assertThat(subjects(event)).usingElementComparator(BY_IDENTITY).isEqualTo(expected);
    }

    private static List<Object> subjects(AsyncEvent event) {
        return Stream.of(event.queuePair(), event.completionQueue(), event.sharedReceiveQueue())
                .<Object>mapMulti((subject, sink) -> {
                    if (subject != null) {
                        sink.accept(subject);
                    }
                })
                .toList();
    }

    @Test
    void shouldAcknowledgeBeforeDelivery() throws InterruptedException {
        targets.add(POINTER, object(QueuePair.class));
        BlockingQueue<Integer> open = new LinkedBlockingQueue<>();
        events.subscribe(event -> open.add(source.notAcknowledged()), () -> source);

        source.object(AsyncEventType.QP_FATAL, POINTER);

        assertThat(open.poll(20, TimeUnit.SECONDS)).isZero();
    }

    @Test
    void shouldAcknowledgeAndDropEventsWithoutATarget() throws InterruptedException {
        listen();
        source.object(AsyncEventType.QP_FATAL, POINTER);
        source.object(AsyncEventType.CQ_ERR, POINTER);
        source.object(AsyncEventType.SRQ_ERR, POINTER);
        source.unknown();
        source.port(AsyncEventType.GID_CHANGE, 1);

        assertThat(next().type()).isEqualTo(AsyncEventType.GID_CHANGE);
        assertThat(source.notAcknowledged()).isZero();
    }

    @Test
    void whenAListenerThrowsThenDeliveryContinues() throws InterruptedException {
        AtomicReference<Throwable> reported = new AtomicReference<>();
        events.subscribe(
                event -> {
                    Thread.currentThread().setUncaughtExceptionHandler((thread, failure) -> {
                        reported.set(failure);
                        throw new IllegalStateException("the handler fails too");
                    });
                    throw new IllegalArgumentException(event.type().name());
                },
                () -> source);
        listen();

        source.port(AsyncEventType.LID_CHANGE, 1);
        source.port(AsyncEventType.SM_CHANGE, 1);

        assertThat(next().type()).isEqualTo(AsyncEventType.LID_CHANGE);
        assertThat(next().type()).isEqualTo(AsyncEventType.SM_CHANGE);
        assertThat(reported.get()).hasMessage("SM_CHANGE");
    }

    @Test
    void whenAListenerUnsubscribesDuringAnEventThenItReceivesNothing() throws InterruptedException {
        List<Subscription> later = new ArrayList<>();
        List<AsyncEventType> wrongly = new ArrayList<>();
        events.subscribe(event -> later.forEach(Subscription::close), () -> source);
        later.add(events.subscribe(event -> wrongly.add(event.type()), () -> source));
        listen();

        source.port(AsyncEventType.LID_CHANGE, 1);

        next();
        assertThat(wrongly).isEmpty();
    }

    @Test
    void shouldLetAListenerStopTheEvents() throws InterruptedException {
        AtomicReference<Thread> thread = new AtomicReference<>();
        events.subscribe(
                event -> {
                    events.stop();
                    thread.set(Thread.currentThread());
                    received.add(event);
                },
                () -> source);

        source.port(AsyncEventType.LID_CHANGE, 1);

        next();
        thread.get().join(20_000);
        assertThat(thread.get().isAlive()).isFalse();
        assertThat(thread.get().isDaemon()).isTrue();
        assertThat(thread.get().getName()).isEqualTo("rdma-events-" + DEVICE);
        assertThat(source.isClosed()).isTrue();
    }

    @Test
    void shouldStopWhileTheThreadSleeps() {
        listen();

        events.stop();
        events.stop();

        assertThat(source.isClosed()).isTrue();
    }

    @Test
    @DisplayName("FL-16: end with DEVICE_FATAL if the device vanishes without an event")
    void whenTheDeviceVanishesThenDeviceFatalIsDelivered() throws InterruptedException {
        listen();
        source.fail(Errno.EIO);

        assertThat(next()).isEqualTo(AsyncEvent.ofDevice(AsyncEventType.DEVICE_FATAL, DEVICE));
    }

    @Test
    @DisplayName("FL-16: contain DEVICE_FATAL once if the device reports it and then vanishes")
    void whenTheDeviceReportsItsFailureThenDeviceFatalIsDeliveredOnce() throws InterruptedException {
        AtomicReference<Thread> thread = new AtomicReference<>();
        events.subscribe(
                event -> {
                    thread.set(Thread.currentThread());
                    received.add(event);
                },
                () -> source);
        source.object(AsyncEventType.DEVICE_FATAL, 0);
        source.fail(Errno.EIO);

        assertThat(next().type()).isEqualTo(AsyncEventType.DEVICE_FATAL);
        thread.get().join(20_000);
        assertThat(thread.get().isAlive()).isFalse();
        assertThat(received).isEmpty();
    }

    @Test
    @DisplayName("FL-17: a port that is active again is reported although its event was lost")
    void whenPortActiveIsLostThenItIsDelivered() throws InterruptedException {
        listen();
        portIsActive.set(false);
        source.port(AsyncEventType.PORT_ERR, 1);
        assertThat(next()).isEqualTo(AsyncEvent.ofPort(AsyncEventType.PORT_ERR, DEVICE, 1));

        portIsActive.set(true);

        assertThat(next()).isEqualTo(AsyncEvent.ofPort(AsyncEventType.PORT_ACTIVE, DEVICE, 1));
        source.port(AsyncEventType.PORT_ACTIVE, 1);
        source.port(AsyncEventType.GID_CHANGE, 1);
        assertThat(next().type()).as("the late event is not delivered again").isEqualTo(AsyncEventType.GID_CHANGE);
    }
}
