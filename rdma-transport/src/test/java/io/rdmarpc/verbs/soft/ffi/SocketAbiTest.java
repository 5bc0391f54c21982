package io.rdmarpc.verbs.soft.ffi;

import static io.rdmarpc.verbs.ffi.CStruct.offset;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.ibverbs.ffi.CCompiler;
import java.io.IOException;
import java.lang.foreign.StructLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The memory layouts and codes of sockets are those of the C headers")
class SocketAbiTest {

    private final Map<String, Long> expressions = new LinkedHashMap<>();

    @TempDir
    private Path directory;

    private void expectStruct(StructLayout struct, String... fields) {
        String name = "struct " + struct.name().orElseThrow();
        expressions.put("sizeof(" + name + ")", struct.byteSize());
        for (String field : fields) {
            expressions.put("offsetof(" + name + ", " + field + ")", offset(struct, field));
        }
    }

    private void verify() throws IOException, InterruptedException {
        StringBuilder source = new StringBuilder("""
            #define _GNU_SOURCE
            #include <stddef.h>
            #include <stdio.h>
            #include <netinet/in.h>
            #include <netinet/ip.h>
            #include <sys/socket.h>
            #include <linux/udp.h>
            #include <sys/un.h>
            #include <sys/mman.h>
            #include <fcntl.h>
            #include <sys/vfs.h>
            #include <linux/magic.h>
            #include <unistd.h>
            #include <sys/stat.h>
            int main(void) {
            """);
        expressions.keySet().forEach(text -> source.append("printf(\"%ld\\n\", (long) (" + text + "));\n"));
        List<String> output =
                new CCompiler(directory).outputOf(source.append("}\n").toString());
        List<String> expected = new ArrayList<>();
        expressions.values().forEach(value -> expected.add(Long.toString(value)));
        assertThat(output).as("%s", expressions.keySet()).isEqualTo(expected);
    }

    @Test
    void shouldHaveTheStructsOfTheHeaders() throws IOException, InterruptedException {
        expectStruct(MessageArray.IOVEC, "iov_base", "iov_len");
        expectStruct(
                MessageArray.MSGHDR,
                "msg_name",
                "msg_namelen",
                "msg_iov",
                "msg_iovlen",
                "msg_control",
                "msg_controllen",
                "msg_flags");
        expectStruct(MessageArray.MMSGHDR, "msg_hdr", "msg_len");
        expectStruct(MessageArray.CMSGHDR, "cmsg_len", "cmsg_level", "cmsg_type");
        expressions.put("CMSG_SPACE(sizeof(int))", MessageArray.CONTROL_BYTES);
        expressions.put("CMSG_SPACE(sizeof(unsigned short))", MessageArray.CONTROL_BYTES);
        verify();
    }

    @Test
    void shouldHaveTheValuesForPassedMemory() throws IOException, InterruptedException {
        expectStruct(DescriptorSocket.SOCKADDR_UN, "sun_family", "sun_path");
        expressions.put("CMSG_LEN(sizeof(int))", DescriptorSocket.ONE_DESCRIPTOR);
        expressions.put("AF_UNIX", (long) DescriptorSocket.AF_UNIX);
        expressions.put("CMSG_SPACE(sizeof(struct ucred))", DescriptorSocket.CREDENTIALS_BYTES);
        expressions.put("offsetof(struct ucred, pid)", 0L);
        expressions.put("SCM_CREDENTIALS", (long) DescriptorSocket.SCM_CREDENTIALS);
        expressions.put("SO_PASSCRED", (long) DescriptorSocket.SO_PASSCRED);
        expressions.put("F_SEAL_FUTURE_WRITE", (long) MemFd.F_SEAL_FUTURE_WRITE);
        expressions.put("TMPFS_MAGIC", (long) MemFd.TMPFS_MAGIC);
        expressions.put("sizeof(struct statfs)", MemFd.STATFS_BYTES);
        expressions.put("offsetof(struct statfs, f_type)", 0L);
        expressions.put("SCM_RIGHTS", (long) DescriptorSocket.SCM_RIGHTS);
        expressions.put("MSG_CMSG_CLOEXEC", (long) DescriptorSocket.MSG_CMSG_CLOEXEC);
        expressions.put("MFD_CLOEXEC", (long) MemFd.MFD_CLOEXEC);
        expressions.put("MFD_ALLOW_SEALING", (long) MemFd.MFD_ALLOW_SEALING);
        expressions.put("F_ADD_SEALS", (long) MemFd.F_ADD_SEALS);
        expressions.put("F_GET_SEALS", (long) MemFd.F_GET_SEALS);
        expressions.put("F_SEAL_SEAL", (long) MemFd.F_SEAL_SEAL);
        expressions.put("F_SEAL_SHRINK", (long) MemFd.F_SEAL_SHRINK);
        expressions.put("F_SEAL_GROW", (long) MemFd.F_SEAL_GROW);
        expressions.put("AT_EMPTY_PATH", (long) MemFd.AT_EMPTY_PATH);
        expressions.put("STATX_SIZE", (long) MemFd.STATX_SIZE);
        expressions.put("sizeof(struct statx)", MemFd.STATX_BYTES);
        expressions.put("offsetof(struct statx, stx_size)", MemFd.STATX_SIZE_OFFSET);
        expressions.put("PROT_READ", (long) MemFd.PROT_READ);
        expressions.put("PROT_WRITE", (long) MemFd.PROT_WRITE);
        expressions.put("PROT_EXEC", (long) StreamingStores.PROT_EXEC);
        expressions.put("MAP_SHARED", (long) MemFd.MAP_SHARED);
        expressions.put("MAP_PRIVATE", (long) StreamingStores.MAP_PRIVATE);
        expressions.put("MAP_ANONYMOUS", (long) StreamingStores.MAP_ANONYMOUS);
        expressions.put("MAP_POPULATE", (long) MemFd.MAP_POPULATE);
        verify();
    }

    @Test
    void shouldHaveTheCodesOfTheHeaders() throws IOException, InterruptedException {
        expressions.put("SOCK_DGRAM", (long) LibSocket.SOCK_DGRAM);
        expressions.put("SOCK_NONBLOCK", (long) LibSocket.SOCK_NONBLOCK);
        expressions.put("SOCK_CLOEXEC", (long) LibSocket.SOCK_CLOEXEC);
        expressions.put("SOL_SOCKET", (long) LibSocket.SOL_SOCKET);
        expressions.put("SO_SNDBUF", (long) LibSocket.SO_SNDBUF);
        expressions.put("SO_RCVBUF", (long) LibSocket.SO_RCVBUF);
        expressions.put("SO_SNDBUFFORCE", (long) LibSocket.SO_SNDBUFFORCE);
        expressions.put("SO_RCVBUFFORCE", (long) LibSocket.SO_RCVBUFFORCE);
        expressions.put("IPPROTO_IP", (long) LibSocket.IPPROTO_IP);
        expressions.put("IP_TOS", (long) LibSocket.IP_TOS);
        expressions.put("IP_RECVTOS", (long) LibSocket.IP_RECVTOS);
        expressions.put("IPV6_RECVTCLASS", (long) LibSocket.IPV6_RECVTCLASS);
        expressions.put("IP_MTU_DISCOVER", (long) LibSocket.IP_MTU_DISCOVER);
        expressions.put("IP_PMTUDISC_DO", (long) LibSocket.IP_PMTUDISC_DO);
        expressions.put("IPV6_PMTUDISC_DO", (long) LibSocket.IP_PMTUDISC_DO);
        expressions.put("IPPROTO_IPV6", (long) LibSocket.IPPROTO_IPV6);
        expressions.put("IPV6_MTU_DISCOVER", (long) LibSocket.IPV6_MTU_DISCOVER);
        expressions.put("IPV6_V6ONLY", (long) LibSocket.IPV6_V6ONLY);
        expressions.put("IPV6_TCLASS", (long) LibSocket.IPV6_TCLASS);
        expressions.put("IPPROTO_UDP", (long) LibSocket.SOL_UDP);
        expressions.put("UDP_SEGMENT", (long) LibSocket.UDP_SEGMENT);
        expressions.put("UDP_GRO", (long) LibSocket.UDP_GRO);
        expressions.put("MSG_DONTWAIT", (long) LibSocket.MSG_DONTWAIT);
        expressions.put("AF_UNIX", (long) Bell.AF_UNIX);
        expressions.put("SOCK_SEQPACKET", (long) Bell.SOCK_SEQPACKET);
        expressions.put("SO_TYPE", (long) Bell.SO_TYPE);
        expressions.put("SO_DOMAIN", (long) Bell.SO_DOMAIN);
        expressions.put("MSG_NOSIGNAL", (long) Bell.MSG_NOSIGNAL);
        expressions.put("SHUT_RDWR", (long) Bell.SHUT_RDWR);
        verify();
    }
}
