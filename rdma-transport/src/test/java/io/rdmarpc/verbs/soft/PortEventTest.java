package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.AsyncEvent;
import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.PortLink;
import io.rdmarpc.verbs.attributes.PortState;
import io.rdmarpc.verbs.soft.port.LocalGidTable;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.SocketException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The port's state and events while the interfaces of a simulated host go up and down. */
@Timeout(60)
class PortEventTest {

    private static final InetAddress FIRST = TestNode.LOOPBACK;
    private static final InetAddress SECOND = Inet4Address.ofLiteral("127.0.0.2");

    private static final Map<InetAddress, Boolean> BOTH_UP = Map.of(FIRST, true, SECOND, true);
    private static final Map<InetAddress, Boolean> BOTH_DOWN = Map.of(FIRST, false, SECOND, false);

    private volatile Map<InetAddress, Boolean> host = BOTH_UP;
    private volatile boolean isBroken;
    private final SoftRnic rnic = new SoftRnic(
            LocalGidTable.of(List.of(FIRST, SECOND)),
            this::look,
            new MemoryNetwork().link(TestNode.LOOPBACK_IP, 5001),
            new FakeClock(),
            0);
    private final SoftContext context = new SoftContext(rnic);
    private final BlockingQueue<AsyncEvent> events = new LinkedBlockingQueue<>();

    private Map<InetAddress, Boolean> look() throws SocketException {
        if (isBroken) {
            throw new SocketException("netlink is not available");
        }
        return host;
    }

    @AfterEach
    void close() {
        context.close();
    }

    private void listen() {
        context.onAsyncEvent(events::add);
    }

    private void assertNext(AsyncEventType type) throws InterruptedException {
        AsyncEvent event = events.poll(20, TimeUnit.SECONDS);
        assertThat(event).isEqualTo(AsyncEvent.ofPort(type, "soft0", 1));
    }

    private void assertQuiet() {
        rnic.events().checkPort();
        assertThat(rnic.softPort().pollEvents()).isEmpty();
        assertThat(events).isEmpty();
    }

    @Test
    void whenAllInterfacesGoDownThenThePortDoesAndComesBackWithAnyOfThem() throws InterruptedException {
        listen();
        host = Map.of(FIRST, false, SECOND, true);
        assertQuiet();
        host = BOTH_DOWN;
        rnic.events().checkPort();
        assertNext(AsyncEventType.PORT_ERR);
        assertThat(context.queryPort(1).state()).isEqualTo(PortState.DOWN);
        assertThat(context.queryPort(1).link().state()).isEqualTo(PortLink.PhysicalState.DISABLED);
        host = Map.of(FIRST, true, SECOND, false);
        rnic.events().checkPort();
        assertNext(AsyncEventType.PORT_ACTIVE);
        assertThat(context.queryPort(1).state()).isEqualTo(PortState.ACTIVE);
        assertQuiet();
    }

    @Test
    void whenAnAddressIsLostThenItsGidIsGoneAndTheOthersKeepTheirIndex() throws InterruptedException {
        listen();
        List<GidEntry> all = context.gidTable(1);
        host = Map.of(SECOND, true);
        rnic.events().checkPort();
        assertNext(AsyncEventType.GID_CHANGE);
        assertThat(context.gidTable(1)).containsExactly(all.get(1));
        assertThat(context.gidTable(1).getFirst().index()).isEqualTo(1);
        host = BOTH_UP;
        rnic.events().checkPort();
        assertNext(AsyncEventType.GID_CHANGE);
        assertThat(context.gidTable(1)).isEqualTo(all);
        assertQuiet();
    }

    @Test
    void whenTheLastAddressIsLostThenReportsBoth() throws InterruptedException {
        listen();
        host = Map.of();
        rnic.events().checkPort();
        assertNext(AsyncEventType.GID_CHANGE);
        assertNext(AsyncEventType.PORT_ERR);
    }

    /** Events before the first listener are not reported. */
    @Test
    void whenThePortIsDownFromTheBeginningThenOnlyItsReturnIsReported() throws InterruptedException {
        host = BOTH_DOWN;
        listen();
        assertQuiet();
        host = BOTH_UP;
        rnic.events().checkPort();
        assertNext(AsyncEventType.PORT_ACTIVE);
    }

    @Test
    void whenTheHostCannotBeReadThenThePortCountsAsActive() {
        listen();
        isBroken = true;
        assertQuiet();
        assertThat(context.queryPort(1).state()).isEqualTo(PortState.ACTIVE);
        assertThat(context.gidTable(1)).hasSize(2);
    }

    /** A host lists one address of its loopback interface, but all of 127.0.0.0/8 is local. */
    @Test
    void whenAnotherLoopbackAddressIsUsedThenItIsTreatedAsTheListedOne() {
        host = Map.of(FIRST, true);
        assertThat(context.gidTable(1)).hasSize(2);
    }

    @Test
    void whenThereIsAListenerThenThePortIsChecked() throws InterruptedException {
        listen();
        host = BOTH_DOWN;
        assertNext(AsyncEventType.PORT_ERR);
    }
}
