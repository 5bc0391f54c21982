package io.rdmarpc.remote.wire;

import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.remote.wire.LinkMessage.Allocate;
import io.rdmarpc.remote.wire.LinkMessage.Connect;
import io.rdmarpc.remote.wire.LinkMessage.Connected;
import io.rdmarpc.remote.wire.LinkMessage.Credit;
import io.rdmarpc.remote.wire.LinkMessage.Free;
import io.rdmarpc.remote.wire.LinkMessage.Freed;
import io.rdmarpc.remote.wire.LinkMessage.Hello;
import io.rdmarpc.remote.wire.LinkMessage.Lent;
import io.rdmarpc.remote.wire.LinkMessage.Open;
import io.rdmarpc.remote.wire.LinkMessage.Rejected;
import io.rdmarpc.remote.wire.LinkMessage.Renew;
import io.rdmarpc.remote.wire.LinkMessage.Renewed;
import io.rdmarpc.remote.wire.LinkMessage.Revoked;
import io.rdmarpc.verbs.PeerText;
import io.rdmarpc.verbs.connect.QueuePairEndpoint;
import io.rdmarpc.verbs.error.RdmaException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes the messages of a link, big-endian.
 *
 * <pre>
 *   0      1                5
 *   +------+----------------+------------------------------------------------------------------+
 *   | type | number         | body                                                             |
 *   +------+----------------+------------------------------------------------------------------+
 *    1 HELLO      version u16, process 16 B, the receiver's address as the sender sees it
 *    2 CONNECT    endpoint 36 B           3 CONNECTED  endpoint 36 B
 *    4 ALLOCATE   bytes u64, lease u64, rights u8      5 OPEN  secret 16 B
 *    6 LENT       region u64, address u64, bytes u64, lease u64, rkey u32, rights u8, slot u16
 *    7 RENEW      region u64, lease u64   8 RENEWED    lease u64
 *    9 FREE       region u64             10 FREED      -
 *   11 REJECTED   reason u8, detail      12 REVOKED    region u64, reason u8
 *   13 CREDIT     region u64, records u64
 * </pre>
 *
 * Leases are durations in nanoseconds from now, because the clocks of hosts differ.
 */
public final class LinkCodec {

    /** Maximum length of a message. */
    public static final int MAX_BYTES = 1024;

    private static final int HEAD_BYTES = 5;
    private static final int MAX_DETAIL_BYTES = MAX_BYTES - HEAD_BYTES - 1;

    private LinkCodec() {}

    /** A message with its number. */
    public record Numbered(int number, LinkMessage message) {}

    public static byte[] encode(int number, LinkMessage message) {
        ByteBuffer to = ByteBuffer.allocate(MAX_BYTES);
        to.put((byte) typeOf(message)).putInt(number);
        switch (message) {
            case Hello hello -> {
                to.putShort((short) hello.version());
                to.putLong(hello.process().getMostSignificantBits());
                to.putLong(hello.process().getLeastSignificantBits());
                InetAddress address = hello.yourAddress();
                to.put(address == null ? new byte[0] : address.getAddress());
            }
            case Connect connect -> to.put(connect.initiator().encode());
            case Connected connected -> to.put(connected.responder().encode());
            case Allocate allocate ->
                to.putLong(allocate.bytes()).putLong(allocate.leaseNanos()).put((byte)
                        RemoteRight.bits(allocate.rights()));
            case Open open ->
                to.putLong(open.secret().high()).putLong(open.secret().low());
            case Lent lent ->
                to.putLong(lent.id())
                        .putLong(lent.address())
                        .putLong(lent.bytes())
                        .putLong(lent.leaseNanos())
                        .putInt(lent.rkey())
                        .put((byte) RemoteRight.bits(lent.rights()))
                        .putShort((short) lent.slot());
            case Renew renew -> to.putLong(renew.id()).putLong(renew.leaseNanos());
            case Renewed renewed -> to.putLong(renewed.leaseNanos());
            case Free free -> to.putLong(free.id());
            case Freed _ -> {}
            case Rejected rejected -> to.put((byte) rejected.reason().code()).put(cut(rejected.detail()));
            case Revoked revoked ->
                to.putLong(revoked.id()).put((byte) revoked.reason().code());
            case Credit credit -> to.putLong(credit.id()).putLong(credit.records());
        }
        return Arrays.copyOf(to.array(), to.position());
    }

    private static byte[] cut(String detail) {
        byte[] bytes = detail.getBytes(StandardCharsets.UTF_8);
        return bytes.length <= MAX_DETAIL_BYTES ? bytes : Arrays.copyOf(bytes, MAX_DETAIL_BYTES);
    }

    private static int typeOf(LinkMessage message) {
        return switch (message) {
            case Hello _ -> 1;
            case Connect _ -> 2;
            case Connected _ -> 3;
            case Allocate _ -> 4;
            case Open _ -> 5;
            case Lent _ -> 6;
            case Renew _ -> 7;
            case Renewed _ -> 8;
            case Free _ -> 9;
            case Freed _ -> 10;
            case Rejected _ -> 11;
            case Revoked _ -> 12;
            case Credit _ -> 13;
        };
    }

    /**
     * Decodes bytes from {@link #encode}.
     *
     * @throws RdmaRemoteMemoryException if the bytes are not a message of a link
     */
    public static Numbered decode(byte[] bytes) {
        ByteBuffer from = ByteBuffer.wrap(bytes);
        Numbered read = read(bytes, from);
        if (from.hasRemaining()) {
            throw invalid(bytes, from.remaining() + " unexpected bytes follow", null);
        }
        return read;
    }

    private static Numbered read(byte[] bytes, ByteBuffer from) {
        try {
            int type = from.get();
            int number = from.getInt();
            return new Numbered(number, read(type, from));
        } catch (BufferUnderflowException e) {
            throw invalid(bytes, "it is too short", e);
        } catch (RdmaException | IllegalArgumentException e) {
            throw invalid(bytes, String.valueOf(e.getMessage()), e);
        }
    }

    private static LinkMessage read(int type, ByteBuffer from) {
        return switch (type) {
            case 1 ->
                new Hello(
                        Short.toUnsignedInt(from.getShort()),
                        new UUID(from.getLong(), from.getLong()),
                        address(bytes(from, from.remaining())));
            case 2 -> new Connect(endpoint(from));
            case 3 -> new Connected(endpoint(from));
            case 4 -> readAllocate(from);
            case 5 -> new Open(new TokenSecret(from.getLong(), from.getLong()));
            case 6 -> readLent(from);
            case 7 -> new Renew(from.getLong(), from.getLong());
            case 8 -> new Renewed(from.getLong());
            case 9 -> new Free(from.getLong());
            case 10 -> new Freed();
            case 11 ->
                new Rejected(
                        Reason.ofCode(from.get()),
                        PeerText.detail(new String(bytes(from, from.remaining()), StandardCharsets.UTF_8)));
            case 12 -> new Revoked(from.getLong(), Reason.ofCode(from.get()));
            case 13 -> new Credit(from.getLong(), from.getLong());
            default -> throw new IllegalArgumentException("type " + type + " is unknown");
        };
    }

    private static Allocate readAllocate(ByteBuffer from) {
        long bytes = from.getLong();
        long lease = from.getLong();
        return new Allocate(bytes, RemoteRight.ofBits(from.get()), lease);
    }

    private static Lent readLent(ByteBuffer from) {
        long id = from.getLong();
        long address = from.getLong();
        long bytes = from.getLong();
        long lease = from.getLong();
        int rkey = from.getInt();
        Set<RemoteRight> rights = RemoteRight.ofBits(from.get());
        return new Lent(id, address, bytes, rkey, rights, Short.toUnsignedInt(from.getShort()), lease);
    }

    private static QueuePairEndpoint endpoint(ByteBuffer from) {
        return QueuePairEndpoint.decode(bytes(from, QueuePairEndpoint.BYTES));
    }

    private static byte[] bytes(ByteBuffer from, int count) {
        byte[] bytes = new byte[count];
        from.get(bytes);
        return bytes;
    }

    private static RdmaRemoteMemoryException invalid(byte[] bytes, String problem, @Nullable Throwable cause) {
        return new RdmaRemoteMemoryException(
                Reason.PROTOCOL,
                "A remote memory message of " + bytes.length + " bytes is invalid: " + problem
                        + ". Use the same release on both sides.",
                cause);
    }

    /** Decodes the address in HELLO; null if the peer sent none. */
    private static @Nullable InetAddress address(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            return null;
        }
    }
}
