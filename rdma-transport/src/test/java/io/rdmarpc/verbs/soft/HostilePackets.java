package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.soft.wire.Aeth;
import io.rdmarpc.verbs.soft.wire.AtomicAckEth;
import io.rdmarpc.verbs.soft.wire.AtomicEth;
import io.rdmarpc.verbs.soft.wire.Bth;
import io.rdmarpc.verbs.soft.wire.CopiedEth;
import io.rdmarpc.verbs.soft.wire.Deth;
import io.rdmarpc.verbs.soft.wire.GrantEth;
import io.rdmarpc.verbs.soft.wire.Icrc;
import io.rdmarpc.verbs.soft.wire.OfferEth;
import io.rdmarpc.verbs.soft.wire.Opcode;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import io.rdmarpc.verbs.soft.wire.Reth;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/** Packets that no correct peer sends: valid and nearly valid headers of all kinds, with random payload. */
final class HostilePackets {

    /**
     * The first PSNs of the connections: {@code toNode} for requests to the node, {@code fromNode} for its own
     * requests.
     */
    record Psns(int toNode, int fromNode) {}

    private static final int NOISE = 64;

    private final SplittableRandom random;
    private final PacketBuffer packet;
    private final Psns psns;
    private final byte[] noise = new byte[PacketBuffer.CAPACITY];
    private int length;
    private long knownAddress;
    private int knownKey;
    private int knownBytes;

    HostilePackets(SplittableRandom random, PacketBuffer packet, Psns psns) {
        this.random = random;
        this.packet = packet;
        this.psns = psns;
        random.nextBytes(noise);
    }

    /** Sets memory with write access that some packets address. */
    void know(long address, int rkey, int bytes) {
        knownAddress = address;
        knownKey = rkey;
        knownBytes = bytes;
    }

    /** Writes random bytes of a random length. */
    void garbage() {
        begin(random.nextInt(200));
        for (int at = 0; at < 20; at += 4) {
            packet.bytes().putInt(at, random.nextInt());
        }
        packet.length(length);
    }

    /** Writes a packet to a queue pair, including the room for the ICRC. */
    void to(int qpn) {
        int opcode = opcode();
        begin(length());
        Bth.write(packet.bytes(), opcode, random.nextInt(4), qpn, psn(), random.nextBoolean());
        addHeaders(opcode, qpn);
        if (random.nextInt(100) == 0) {
            packet.bytes().put(1, (byte) random.nextInt()); // Usually another version.
        } else if (random.nextInt(100) == 0) {
            packet.bytes().putShort(2, (short) random.nextInt()); // Another partition.
        }
        packet.length(length);
    }

    /** Writes one of many READs of a whole region, each of which is valid. */
    void read(int qpn, int psn, long address, int rkey, int bytes) {
        begin(Bth.BYTES + Reth.BYTES + Icrc.BYTES);
        Bth.write(packet.bytes(), Opcode.RC_READ_REQUEST, 0, qpn, psn, true);
        Reth.write(packet.bytes(), address, rkey, bytes);
        packet.length(length);
    }

    private int opcode() {
        return switch (random.nextInt(9)) {
            case 8 -> Opcode.RC_READ_GRANT + random.nextInt(4);
            case 0 -> Opcode.UD_SEND_ONLY + random.nextInt(2);
            case 1 -> random.nextInt(Opcode.RC_READ_REQUEST);
            case 2 -> Opcode.UC + random.nextInt(Opcode.RC_READ_REQUEST);
            case 3 -> Opcode.RC_READ_REQUEST + random.nextInt(9);
            case 4 -> Opcode.RC_ACKNOWLEDGE;
            case 5 -> Opcode.SEND_ONLY | (random.nextBoolean() ? Opcode.UC : 0);
            case 6 -> random.nextBoolean() ? Opcode.RC_READ_REQUEST : Opcode.RC_FETCH_ADD;
            default -> random.nextInt(256);
        };
    }

    private int length() {
        return switch (random.nextInt(20)) {
            case 0 -> Bth.BYTES + Icrc.BYTES + 4 * random.nextInt(1020);
            case 1 -> random.nextInt(1, 80);
            default -> Bth.BYTES + Icrc.BYTES + 4 * random.nextInt(12);
        };
    }

    private int psn() {
        int base = random.nextBoolean() ? psns.toNode() : psns.fromNode();
        return random.nextInt(3) == 0 ? random.nextInt() : base + random.nextInt(-3, 4);
    }

    /** Adds the headers of the operation, usually with the correct length. */
    private void addHeaders(int opcode, int qpn) {
        ByteBuffer bytes = packet.bytes();
        boolean right = random.nextInt(8) > 0;
        if (Opcode.isUd(opcode)) {
            atLeast(Bth.BYTES + Deth.BYTES + Icrc.BYTES);
            Deth.write(bytes, random.nextInt(3) > 0 ? TestNode.QKEY : random.nextInt(), random.nextInt());
        } else if (Opcode.isAtomic(opcode)) {
            exactly(Bth.BYTES + AtomicEth.BYTES + Icrc.BYTES, right);
            AtomicEth.write(bytes, random.nextLong() & -8, random.nextInt(), random.nextLong(), random.nextLong());
        } else if (opcode == Opcode.RC_READ_REQUEST) {
            exactly(Bth.BYTES + Reth.BYTES + Icrc.BYTES, right);
            Reth.write(bytes, random.nextLong(), random.nextInt(), random.nextInt(3) * random.nextInt());
        } else if (Opcode.isWrite(Opcode.operation(opcode))) {
            atLeast(Bth.BYTES + Reth.BYTES + Icrc.BYTES);
            Reth.write(bytes, random.nextLong(), random.nextInt(), random.nextInt(2) * random.nextInt(9000));
        } else if (opcode == Opcode.RC_WRITE_OFFER) {
            exactly(Bth.BYTES + OfferEth.BYTES + Icrc.BYTES, right);
            boolean known = random.nextInt(4) > 0;
            int total = known ? knownBytes : random.nextInt();
            Reth.write(bytes, known ? knownAddress : random.nextLong(), known ? knownKey : random.nextInt(), total);
            OfferEth.write(bytes, random.nextInt(4) > 0 ? 0 : random.nextInt(), known ? total : random.nextInt());
        } else if (opcode == Opcode.RC_WRITE_COPIED) {
            exactly(Bth.BYTES + CopiedEth.BYTES + Icrc.BYTES, right);
            CopiedEth.write(bytes, random.nextInt(4) > 0 ? knownBytes : random.nextInt());
            if (random.nextBoolean()) {
                CopiedEth.addImmediate(bytes, 7);
            }
        } else if (opcode == Opcode.RC_READ_GRANT || opcode == Opcode.RC_WRITE_GRANT) {
            exactly(GrantEth.OFFSET + GrantEth.BYTES + Icrc.BYTES, right);
            GrantEth.write(
                    bytes, random.nextLong(), random.nextInt(3), random.nextInt(9000), random.nextInt(2) * knownBytes);
        } else if (opcode == Opcode.RC_ATOMIC_ACKNOWLEDGE) {
            exactly(AtomicAckEth.OFFSET + AtomicAckEth.BYTES + Icrc.BYTES, right);
        } else if (opcode == Opcode.RC_ACKNOWLEDGE) {
            exactly(Bth.BYTES + Aeth.BYTES + Icrc.BYTES, right);
            Aeth.write(bytes, syndrome(), random.nextInt());
        }
        if (right) {
            noPadding(opcode, qpn);
        }
    }

    private int syndrome() {
        return switch (random.nextInt(3)) {
            case 0 -> Aeth.NAK_SEQUENCE + random.nextInt(5);
            case 1 -> Aeth.RNR + random.nextInt(5);
            default -> random.nextInt(256);
        };
    }

    private void noPadding(int opcode, int qpn) {
        Bth.write(packet.bytes(), opcode, 0, qpn, Bth.psn(packet.bytes()), Bth.requestsAck(packet.bytes()));
    }

    private void exactly(int bytes, boolean right) {
        length = right ? bytes : Math.max(bytes, length);
    }

    private void atLeast(int bytes) {
        length = Math.max(bytes, length);
    }

    /**
     * Copies prepared noise from a random offset, because new random bytes for each packet would dominate the run time.
     */
    private void begin(int bytes) {
        length = bytes;
        packet.length(PacketBuffer.CAPACITY);
        packet.bytes().put(0, noise, random.nextInt(noise.length - NOISE), NOISE);
    }
}
