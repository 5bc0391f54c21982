package io.rdmarpc.remote;

import static io.rdmarpc.remote.Memories.await;
import static io.rdmarpc.remote.Memories.get;
import static io.rdmarpc.remote.Memories.reasonOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.remote.wire.TokenCodec;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.transport.NicConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
@DisplayName("A region that is passed in a message")
class RegionsInCallsTest {

    private static final Map<String, String> OPTIONS = Map.of("soft.addresses", "127.0.0.1", "soft.port", "0");
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final Set<RemoteRight> ALL = RemoteRight.USUAL;

    private RdmaRuntime serving;
    private RdmaRuntime calling;
    private RpcServer server;
    private RemoteMemory service;
    private RemoteMemory caller;
    private RpcChannel channel;
    private RpcSession session;
    private LocalRegion local;

    @BeforeEach
    void open() {
        serving = openRuntime();
        calling = openRuntime();
        server = Memories.listen(serving);
        service = openMemory(serving);
        caller = openMemory(calling);
        channel = calling.channel("service", server.address());
        session = channel.session(Duration.ofSeconds(30));
        local = caller.allocateLocal(8192);
    }

    private static RdmaRuntime openRuntime() {
        return RdmaRuntime.open(NicConfig.DEFAULTS.withProvider("soft", OPTIONS), Memories.PATIENT);
    }

    private static RemoteMemory openMemory(RdmaRuntime runtime) {
        return RemoteMemory.open(runtime, RemoteMemoryConfig.DEFAULTS.withProvider("soft", OPTIONS));
    }

    @AfterEach
    void close() {
        channel.close();
        caller.close();
        service.close();
        calling.close();
        serving.close();
    }

    /** Simulates a call: the caller encodes the region, and the service decodes it. */
    private RemoteRegion sent(RemoteRegion region) {
        UUID to = caller.inCalls().peerOver(session);
        RegionToken token = caller.inCalls().tokenOf(region, to);
        return service.inCalls().regionOf(RegionToken.decode(token.encode()), null);
    }

    private RemoteRegion lent() {
        return caller.lend(local.slice(), ALL, LEASE, null);
    }

    @Test
    @DisplayName("is opened at first use, and its operations start in order")
    void whenOperationsComeBeforeItIsOpenThenTheyStartInOrder() {
        RemoteRegion region = sent(lent());
        assertThat(caller.statistics().lending().opened()).isZero();
        assertThat(region.length()).isEqualTo(8192);
        assertThat(region.isUsable()).isTrue();
        List<CompletableFuture<Void>> writes = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            writes.add(region.writeAsync(8, new byte[] {(byte) i}));
        }
        writes.forEach(Memories::get);
        assertThat(local.slice(8, 1).toBytes()).containsExactly(99);
        assertThat(caller.statistics().lending().opened()).isOne();
        assertThat(region.remaining()).isBetween(LEASE.dividedBy(2), LEASE);
        get(region.freeAsync());
        assertThat(caller.statistics().lending().regions()).isZero();
        assertThat(reasonOf(region.readAsync(0, 8))).isEqualTo(Reason.CLOSED);
    }

    @Test
    @DisplayName("ends the grant at once if it is freed unused")
    void whenItIsFreedUnusedThenTheGrantEnds() {
        RemoteRegion region = sent(lent());
        assertThat(caller.statistics().lending().grants()).isOne();
        get(region.freeAsync());
        get(region.freeAsync());
        assertThat(caller.statistics().lending().grants()).isZero();
        assertThat(caller.statistics().lending().regions()).isZero();
        assertThat(region.isUsable()).isFalse();
    }

    @Test
    @DisplayName("ends for all receivers when its owner closes it, and cannot be sent again")
    void whenTheOwnerClosesItThenAllReceiversLoseIt() {
        RemoteRegion own = lent();
        RemoteRegion one = sent(own);
        RemoteRegion other = sent(own.slice(4096, 8));
        RemoteRegion unused = sent(own);
        assertThat(one.read(0, 8)).containsOnly(0);
        assertThat(other.length()).isEqualTo(8);
        assertThat(other.getAndAdd(0, 5)).isZero();
        own.close();
        assertThat(caller.statistics().lending().grants()).isZero();
        assertThat(caller.statistics().lending().regions()).isZero();
        await("revocation at both receivers", () -> !one.isUsable() && !other.isUsable());
        assertThat(reasonOf(unused.readAsync(0, 8))).isEqualTo(Reason.EXPIRED);
        assertThat(local.slice(4096, 1).toBytes()).containsExactly(5);
        assertThatExceptionOfType(RdmaRemoteMemoryException.class)
                .isThrownBy(() -> sent(own))
                .satisfies(rejection -> assertThat(rejection.reason()).isEqualTo(Reason.CLOSED));
    }

    @Test
    @DisplayName("keeps its memory if the local region is closed before it is sent")
    void whenTheLocalRegionIsClosedThenItsMemoryStays() {
        local.slice().writable().fill((byte) 9);
        RemoteRegion own = lent();
        local.close();
        RemoteRegion region = sent(own);
        assertThat(region.read(8000, 2)).containsExactly(9, 9);
        assertThat(local.released()).isNotDone();
        own.close();
        get(local.released());
    }

    @Test
    @DisplayName("is rejected if the length in the token differs from the owner's")
    void whenTheTokenIsForgedThenItIsRejected() {
        RegionToken token = caller.inCalls().tokenOf(lent(), caller.inCalls().peerOver(session));
        RegionToken longer = TokenCodec.token(token.owner(), TokenCodec.secretOf(token), 1 << 20, token.rights());
        RemoteRegion region = service.inCalls().regionOf(longer, null);
        assertThat(reasonOf(region.readAsync(1 << 19, 8))).isEqualTo(Reason.PROTOCOL);
        assertThat(region.isUsable()).isFalse();
        await("release of its memory", () -> caller.statistics().lending().regions() == 0);
    }

    @Test
    @DisplayName("can only be opened by the process to which it was sent")
    void whenAnotherProcessOpensItThenItIsRejected() {
        RegionToken token = caller.inCalls().tokenOf(lent(), UUID.randomUUID());
        caller.inCalls().peerOver(session);
        RemoteRegion region = service.inCalls().regionOf(token, null);
        assertThat(reasonOf(region.readAsync(0, 8))).isEqualTo(Reason.FOREIGN_PEER);
        assertThat(caller.statistics().rejections().foreignPeer()).isOne();
    }

    @Test
    @DisplayName("can be a result: its receiver connects over the session of the call")
    void whenItIsAResultThenItsReceiverConnectsOverTheSession() {
        LocalRegion there = service.allocateLocal(4096);
        there.slice().writable().fill((byte) 4);
        RegionToken token = service.inCalls().tokenOf(service.lend(there.slice(), ALL, LEASE, null), null);
        assertThat(reasonOf(caller.inCalls().regionOf(token, null).readAsync(0, 4)))
                .isEqualTo(Reason.LOST);
        RemoteRegion region = caller.inCalls().regionOf(token, session);
        assertThat(region.read(0, 4)).containsOnly(4);
        assertThat(caller.statistics().lending().links()).isOne();
        get(caller.inCalls().regionOf(token, session).freeAsync());
        assertThat(caller.statistics().lending().links()).isOne();
    }

    @Test
    @DisplayName("can be passed on before its first use")
    void whenItIsPassedOnUnusedThenTheNextReceiverOpensIt() {
        RegionToken first = caller.inCalls().tokenOf(lent(), null);
        caller.inCalls().peerOver(session);
        RemoteRegion passed = service.inCalls().regionOf(first, null);
        RegionToken second = service.inCalls().tokenOf(passed, null);
        assertThat(second).isEqualTo(first);
        assertThat(reasonOf(passed.readAsync(0, 8))).isEqualTo(Reason.USED_TOKEN);
        RemoteRegion next = service.inCalls().regionOf(second, null);
        assertThat(next.read(0, 2)).containsOnly(0);
        assertThatExceptionOfType(RdmaRemoteMemoryException.class)
                .isThrownBy(() -> service.inCalls().tokenOf(next, null))
                .satisfies(rejection -> assertThat(rejection.reason()).isEqualTo(Reason.USED_TOKEN));
    }

    @Test
    @DisplayName("is lent longer when its owner renews it, and the receiver learns that")
    void whenItsOwnerRenewsItThenItStaysUsable() {
        RemoteRegion own = caller.lend(local.slice(), ALL, Duration.ofMinutes(1), null);
        RemoteRegion region = sent(own);
        region.renew(LEASE);
        assertThat(region.remaining()).isLessThanOrEqualTo(Duration.ofMinutes(1));
        own.renew(LEASE);
        assertThat(own.remaining()).isGreaterThan(Duration.ofMinutes(2));
        region.renew(LEASE);
        assertThat(region.remaining()).isGreaterThan(Duration.ofMinutes(2));
    }

    @Test
    @DisplayName("can be neither sent nor opened after its lease has expired")
    void whenItsLeaseHasExpiredThenItIsRejected() {
        caller.inCalls().peerOver(session);
        RemoteRegion own = caller.lend(local.slice(), ALL, Duration.ofSeconds(1), null);
        RemoteRegion late = sent(own);
        await(
                "end of the grant",
                () -> !own.isUsable() && caller.statistics().lending().grants() == 0);
        assertThat(reasonOf(late.readAsync(0, 8))).isIn(Reason.EXPIRED, Reason.UNKNOWN_TOKEN);
        assertThatExceptionOfType(RdmaRemoteMemoryException.class)
                .isThrownBy(() -> sent(own))
                .satisfies(rejection -> assertThat(rejection.reason()).isEqualTo(Reason.EXPIRED));
    }
}
