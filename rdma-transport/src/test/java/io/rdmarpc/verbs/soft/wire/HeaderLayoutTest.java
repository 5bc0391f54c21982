package io.rdmarpc.verbs.soft.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The bytes of each header, derived by hand from the tables of the InfiniBand Architecture Specification. */
class HeaderLayoutTest {

    private final PacketBuffer packet = new PacketBuffer();

    private String bytes(int from, int length) {
        byte[] bytes = new byte[length];
        packet.bytes().get(from, bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private ByteBuffer start() {
        packet.length(PacketBuffer.CAPACITY);
        return packet.bytes();
    }

    @Test
    void shouldLayOutBth() {
        Bth.write(start(), Opcode.UD_SEND_ONLY, 3, 0x0AB_CDEF, 0x12_3456, false);
        assertThat(bytes(0, 12)).isEqualTo("64" + "70" + "ffff" + "00" + "abcdef" + "00" + "123456");
    }

    @Test
    void shouldLayOutBthWithAcknowledgeRequest() {
        Bth.write(start(), Opcode.RC_READ_REQUEST, 0, 0x11, 0xFF_FFFF, true);
        assertThat(bytes(0, 12)).isEqualTo("0c" + "40" + "ffff" + "00" + "000011" + "80" + "ffffff");
    }

    @Test
    void shouldLayOutBthThatAcceptsGrants() {
        Bth.write(start(), Opcode.RC_READ_REQUEST, 0, 0x11, 0x12_3456, true);
        assertThat(Bth.acceptsGrants(packet.bytes())).isFalse();
        Bth.markAcceptsGrants(packet.bytes());
        assertThat(bytes(8, 4)).isEqualTo("84" + "123456");
        assertThat(Bth.acceptsGrants(packet.bytes())).isTrue();
        assertThat(Bth.acceptsNoBytes(packet.bytes())).isFalse();
        Bth.markAcceptsNoBytes(packet.bytes());
        assertThat(bytes(8, 4)).isEqualTo("8c" + "123456");
        assertThat(Bth.acceptsNoBytes(packet.bytes())).isTrue();
        assertThat(Bth.psn(packet.bytes())).isEqualTo(0x12_3456);
    }

    @Test
    void shouldLayOutGrant() {
        ByteBuffer bytes = start();
        GrantEth.write(bytes, 0x0000_1fff_8001_0203L, 7, 0x0102_0304_0506_0708L, 0x0001_0000);
        assertThat(bytes(16, GrantEth.BYTES))
                .isEqualTo("00001fff" + "80010203" + "0102030405060708" + "00000007" + "00010000");
        assertThat(GrantEth.grant(bytes)).isEqualTo(0x0000_1fff_8001_0203L);
        assertThat(GrantEth.pages(bytes)).isEqualTo(7);
        assertThat(GrantEth.pagesOffset(bytes)).isEqualTo(0x0102_0304_0506_0708L);
        assertThat(GrantEth.length(bytes)).isEqualTo(0x0001_0000);
    }

    @Test
    void shouldLayOutBthAfterARevokedGrant() {
        Bth.write(start(), Opcode.RC_READ_REQUEST, 0, 0x11, 0x12_3456, true);
        assertThat(Bth.isGrantRevoked(packet.bytes())).isFalse();
        Bth.markGrantRevoked(packet.bytes());
        assertThat(bytes(8, 4)).isEqualTo("82" + "123456");
        assertThat(Bth.isGrantRevoked(packet.bytes())).isTrue();
        assertThat(Bth.acceptsGrants(packet.bytes())).isFalse();
    }

    @Test
    void shouldLayOutOffer() {
        ByteBuffer bytes = start();
        Reth.write(bytes, 0x0102_0304_0506_0708L, 0x8001_0203, 0x0010_0000);
        OfferEth.write(bytes, 0x0004_0000, 0x0002_0000);
        assertThat(bytes(12, 24)).isEqualTo("0102030405060708" + "80010203" + "00100000" + "00040000" + "00020000");
        assertThat(OfferEth.offset(bytes)).isEqualTo(0x0004_0000);
        assertThat(OfferEth.length(bytes)).isEqualTo(0x0002_0000);
    }

    @Test
    void shouldLayOutCopied() {
        ByteBuffer bytes = start();
        CopiedEth.write(bytes, 0x0002_0000);
        assertThat(bytes(12, 12)).isEqualTo("00020000" + "00000000" + "00000000");
        assertThat(CopiedEth.hasImmediate(bytes)).isFalse();
        CopiedEth.addImmediate(bytes, 0x8765_4321);
        assertThat(bytes(12, 12)).isEqualTo("00020000" + "00000001" + "87654321");
        assertThat(CopiedEth.length(bytes)).isEqualTo(0x0002_0000);
        assertThat(CopiedEth.hasImmediate(bytes)).isTrue();
        assertThat(CopiedEth.immediate(bytes)).isEqualTo(0x8765_4321);
    }

    @Test
    void shouldReadBth() {
        ByteBuffer bytes = start();
        bytes.put(0, HexFormat.of().parseHex("ffb2800180fffffe81fffffd"));
        assertThat(Bth.opcode(bytes)).isEqualTo(0xFF);
        assertThat(Bth.padCount(bytes)).isEqualTo(3);
        assertThat(Bth.version(bytes)).isEqualTo(2);
        assertThat(Bth.pkey(bytes)).isEqualTo(0x8001);
        assertThat(Bth.destinationQp(bytes)).isEqualTo(0xFF_FFFE);
        assertThat(Bth.requestsAck(bytes)).isTrue();
        assertThat(Bth.psn(bytes)).isEqualTo(0xFF_FFFD);
    }

    @Test
    void shouldLayOutDeth() {
        ByteBuffer bytes = start();
        Deth.write(bytes, 0x8001_0203, 0x0A_0B0C);
        assertThat(bytes(12, 8)).isEqualTo("80010203" + "00" + "0a0b0c");
        assertThat(Deth.qkey(bytes)).isEqualTo(0x8001_0203);
        assertThat(Deth.sourceQp(bytes)).isEqualTo(0x0A_0B0C);
    }

    @Test
    void shouldLayOutReth() {
        ByteBuffer bytes = start();
        Reth.write(bytes, 0x0102_0304_0506_0708L, 0xAABB_CCDD, 0xFFFF_FFFF);
        assertThat(bytes(12, 16)).isEqualTo("0102030405060708" + "aabbccdd" + "ffffffff");
        assertThat(Reth.address(bytes)).isEqualTo(0x0102_0304_0506_0708L);
        assertThat(Reth.rkey(bytes)).isEqualTo(0xAABB_CCDD);
        assertThat(Reth.length(bytes)).isEqualTo(0xFFFF_FFFFL);
    }

    @Test
    void shouldLayOutAeth() {
        ByteBuffer bytes = start();
        Aeth.write(bytes, Aeth.NAK_REMOTE_ACCESS, 0xABC);
        assertThat(bytes(12, 4)).isEqualTo("62" + "000abc");
        assertThat(Aeth.syndrome(bytes)).isEqualTo(0x62);
        assertThat(Aeth.msn(bytes)).isEqualTo(0xABC);
    }

    @Test
    void shouldLayOutReceiverNotReady() {
        ByteBuffer bytes = start();
        Aeth.write(bytes, Aeth.RNR | 14, 0xFF_FFFF);
        assertThat(bytes(12, 4)).isEqualTo("2e" + "ffffff");
        assertThat(Aeth.isRnr(Aeth.syndrome(bytes))).isTrue();
        assertThat(Aeth.rnrTimer(Aeth.syndrome(bytes))).isEqualTo(14);
        assertThat(Aeth.isRnr(Aeth.NAK_SEQUENCE)).isFalse();
        assertThat(Aeth.isRnr(Aeth.ACK)).isFalse();
    }

    @Test
    void shouldLayOutSolicitedEvent() {
        Bth.write(start(), Opcode.SEND_ONLY, 1, 0x11, 0x22, true);
        assertThat(Bth.isSolicited(packet.bytes())).isFalse();
        Bth.markSolicited(packet.bytes());
        assertThat(bytes(0, 12)).isEqualTo("04" + "d0" + "ffff" + "00" + "000011" + "80" + "000022");
        assertThat(Bth.isSolicited(packet.bytes())).isTrue();
    }

    @Test
    void shouldLayOutImmediateDataAfterEachHeader() {
        ByteBuffer bytes = start();
        ImmDt.write(bytes, Bth.BYTES, 0x8001_0203);
        ImmDt.write(bytes, Bth.BYTES + Reth.BYTES, 0x0405_0607);
        ImmDt.write(bytes, Bth.BYTES + Deth.BYTES, 0x0809_0A0B);
        assertThat(bytes(12, 4)).isEqualTo("80010203");
        assertThat(bytes(28, 4)).isEqualTo("04050607");
        assertThat(bytes(20, 4)).isEqualTo("08090a0b");
        assertThat(ImmDt.value(bytes, 12)).isEqualTo(0x8001_0203);
    }

    @Test
    void shouldLayOutAtomicEth() {
        ByteBuffer bytes = start();
        AtomicEth.write(bytes, 0x0102_0304_0506_0708L, 0xAABB_CCDD, 0x1112_1314_1516_1718L, 0x2122_2324_2526_2728L);
        assertThat(bytes(12, 28)).isEqualTo("0102030405060708" + "aabbccdd" + "1112131415161718" + "2122232425262728");
        assertThat(AtomicEth.address(bytes)).isEqualTo(0x0102_0304_0506_0708L);
        assertThat(AtomicEth.rkey(bytes)).isEqualTo(0xAABB_CCDD);
        assertThat(AtomicEth.swapOrAdd(bytes)).isEqualTo(0x1112_1314_1516_1718L);
        assertThat(AtomicEth.compare(bytes)).isEqualTo(0x2122_2324_2526_2728L);
    }

    @Test
    void shouldLayOutAtomicAcknowledge() {
        ByteBuffer bytes = start();
        Aeth.write(bytes, Aeth.ACK, 3);
        AtomicAckEth.write(bytes, 0x8102_0304_0506_0708L);
        assertThat(bytes(12, 12)).isEqualTo("1f000003" + "8102030405060708");
        assertThat(AtomicAckEth.found(bytes)).isEqualTo(0x8102_0304_0506_0708L);
    }

    @Test
    void shouldChooseSendAndWriteOperationsByPosition() {
        assertThat(Opcode.send(true, false, true)).isEqualTo(0x00);
        assertThat(Opcode.send(false, false, true)).isEqualTo(0x01);
        assertThat(Opcode.send(false, true, false)).isEqualTo(0x02);
        assertThat(Opcode.send(false, true, true)).isEqualTo(0x03);
        assertThat(Opcode.send(true, true, false)).isEqualTo(0x04);
        assertThat(Opcode.send(true, true, true)).isEqualTo(0x05);
        assertThat(Opcode.write(true, false, false)).isEqualTo(0x06);
        assertThat(Opcode.write(false, false, false)).isEqualTo(0x07);
        assertThat(Opcode.write(false, true, false)).isEqualTo(0x08);
        assertThat(Opcode.write(false, true, true)).isEqualTo(0x09);
        assertThat(Opcode.write(true, true, false)).isEqualTo(0x0A);
        assertThat(Opcode.write(true, true, true)).isEqualTo(0x0B);
    }

    @Test
    void shouldKnowThePositionOfEachOperation() {
        for (int write = 0; write <= 6; write += 6) {
            assertThat(Opcode.isWrite(write)).isEqualTo(write == 6);
            assertThat(Opcode.isSend(write)).isEqualTo(write == 0);
            for (int place = 0; place < 6; place++) {
                int operation = write + place;
                assertThat(Opcode.startsMessage(operation)).isEqualTo(place == 0 || place == 4 || place == 5);
                assertThat(Opcode.endsMessage(operation)).isEqualTo(place >= 2);
                assertThat(Opcode.hasImmediate(operation)).isEqualTo(place == 3 || place == 5);
            }
        }
        assertThat(Opcode.isSend(0x0C) || Opcode.isWrite(0x0C)).isFalse();
        assertThat(Opcode.operation(0x2B)).isEqualTo(0x0B);
    }

    @Test
    void shouldDistinguishAcknowledgementsFromNaks() {
        assertThat(Aeth.isAck(Aeth.ACK)).isTrue();
        assertThat(Aeth.isAck(0)).isTrue();
        assertThat(Aeth.isAck(0x20)).isFalse();
        assertThat(Aeth.isAck(Aeth.NAK_SEQUENCE)).isFalse();
    }

    /** The usual example for RFC 1071 checksums: 192.168.0.1 to 192.168.0.199, total length 115 bytes, UDP, TTL 64. */
    @Test
    void shouldLayOutIpv4HeaderWithChecksum() {
        ByteBuffer bytes = start();
        Ipv4Header.write(bytes, 4, 0, 0x73, Ipv4Header.DONT_FRAGMENT, 0xC0A8_0001, 0xC0A8_00C7);
        assertThat(bytes(4, 20)).isEqualTo("45000073" + "00004000" + "4011b861" + "c0a80001" + "c0a800c7");
    }

    @Test
    void shouldLayOutTheTrafficClassOfBothFamilies() {
        ByteBuffer bytes = start();
        Ipv4Header.write(bytes, 4, 0xB9, 0x73, Ipv4Header.DONT_FRAGMENT, 0xC0A8_0001, 0xC0A8_00C7);
        assertThat(bytes(4, 2)).isEqualTo("45b9");
        Ipv6Header.write(bytes, 4, 0xB9, 0x73, 0, 1, 0, 1);
        assertThat(bytes(4, 8)).isEqualTo("6b900000" + "00731140");
    }

    @Test
    void shouldChooseReadResponseOpcodeByPosition() {
        assertThat(Opcode.readResponse(true, true)).isEqualTo(0x10);
        assertThat(Opcode.readResponse(true, false)).isEqualTo(0x0D);
        assertThat(Opcode.readResponse(false, false)).isEqualTo(0x0E);
        assertThat(Opcode.readResponse(false, true)).isEqualTo(0x0F);
    }

    @Test
    void shouldDistinguishTransports() {
        assertThat(Opcode.isRc(Opcode.RC_ACKNOWLEDGE)).isTrue();
        assertThat(Opcode.isRc(0x20)).isFalse();
        assertThat(Opcode.isUc(0x2B)).isTrue();
        assertThat(Opcode.isUc(0x0B)).isFalse();
        assertThat(Opcode.isUd(Opcode.UD_SEND_ONLY)).isTrue();
        assertThat(Opcode.isUd(Opcode.UD_SEND_ONLY_IMMEDIATE)).isTrue();
        assertThat(Opcode.isUd(0x81)).isFalse();
    }
}
