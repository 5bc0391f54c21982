package io.rdmarpc.verbs.ffi;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A socket address in C")
class SockAddrStructTest {

    private final Arena arena = Arena.ofConfined();

    @AfterEach
    void free() {
        arena.close();
    }

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    @Test
    void shouldWriteIpv4PortAndAddressInNetworkOrder() throws UnknownHostException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getByName("10.1.0.2"), 0x1234);

        MemorySegment memory = SockAddrStruct.allocate(arena, address);

        assertThat(memory.asSlice(2).toArray(CStruct.U8))
                .isEqualTo(bytes(0x12, 0x34, 10, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0));
        assertThat(SockAddrStruct.read(memory, 0)).isEqualTo(address);
    }

    @Test
    void shouldKeepTheScopeOfIpv6() throws UnknownHostException {
        byte[] bytes = bytes(0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x99);
        InetSocketAddress address = new InetSocketAddress(Inet6Address.getByAddress(null, bytes, 7), 65535);

        MemorySegment memory = SockAddrStruct.allocate(arena, address);

        assertThat(memory.byteSize()).isEqualTo(28);
        assertThat(memory.asSlice(8, 16).toArray(CStruct.U8)).isEqualTo(bytes);
        assertThat(memory.get(CStruct.U32, 24)).isEqualTo(7);
        InetSocketAddress read = SockAddrStruct.read(memory, 0);
        assertThat(read).isEqualTo(address);
        assertThat(((Inet6Address) read.getAddress()).getScopeId()).isEqualTo(7);
    }

    @Test
    void whenThereIsNoAddressThenTheWildcardIsRead() {
        MemorySegment nothing = arena.allocate(SockAddrStruct.IPV6);

        assertThat(SockAddrStruct.read(nothing, 0)).isEqualTo(new InetSocketAddress(0));
    }
}
