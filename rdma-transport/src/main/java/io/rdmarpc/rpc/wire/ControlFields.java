package io.rdmarpc.rpc.wire;

import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.transport.RcEndpoint;
import io.rdmarpc.transport.UdEndpoint;
import io.rdmarpc.verbs.PeerText;
import io.rdmarpc.verbs.attributes.Gid;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads and writes the fields of control messages. {@link ControlCodec} describes them. */
final class ControlFields {

    private ControlFields() {}

    static void writeText(DataOutput out, String text) throws IOException {
        byte[] bytes = FailureText.cut(text, 0xFFFF);
        out.writeShort(bytes.length);
        out.write(bytes);
    }

    /** Reads a text of the peer for logs, messages and metrics. */
    static String readCleanText(DataInput in) throws IOException {
        return PeerText.of(readText(in));
    }

    /** Reads a longer text of the peer: a message that explains what to do. */
    static String readDetail(DataInput in) throws IOException {
        return PeerText.detail(readText(in));
    }

    /** Reads a text of the peer without sanitizing it. Only for comparisons. */
    private static String readText(DataInput in) throws IOException {
        byte[] bytes = new byte[in.readUnsignedShort()];
        in.readFully(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    static void writeId(DataOutput out, Id128 id) throws IOException {
        out.writeLong(id.high());
        out.writeLong(id.low());
    }

    static Id128 readId(DataInput in) throws IOException {
        return new Id128(in.readLong(), in.readLong());
    }

    /** Reads a nonce or a proof; both have the same length. */
    static byte[] readRandom(DataInput in) throws IOException {
        byte[] bytes = new byte[Nonce.BYTES];
        in.readFully(bytes);
        return bytes;
    }

    static boolean readFlag(DataInput in) throws IOException {
        int flag = in.readUnsignedByte();
        if (flag > 1) {
            throw new IOException("a control message has " + flag + " in a field of 0 or 1");
        }
        return flag == 1;
    }

    static void writeGid(DataOutput out, Gid gid) throws IOException {
        out.writeLong(gid.high());
        out.writeLong(gid.low());
    }

    static Gid readGid(DataInput in) throws IOException {
        return new Gid(in.readLong(), in.readLong());
    }

    static void writeUd(DataOutput out, UdEndpoint endpoint) throws IOException {
        writeGid(out, endpoint.gid());
        out.writeShort(endpoint.lid());
        out.writeInt(endpoint.qpn());
        out.writeInt(endpoint.qkey());
    }

    static UdEndpoint readUd(DataInput in) throws IOException {
        return new UdEndpoint(readGid(in), in.readUnsignedShort(), in.readInt(), in.readInt());
    }

    static void writeRc(DataOutput out, RcEndpoint endpoint) throws IOException {
        writeGid(out, endpoint.gid());
        out.writeShort(endpoint.lid());
        writeHalf(out, endpoint.requester());
        writeHalf(out, endpoint.responder());
        out.writeShort(endpoint.maxReads());
    }

    private static void writeHalf(DataOutput out, RcEndpoint.Half half) throws IOException {
        out.writeInt(half.qpn());
        out.writeInt(half.psn());
    }

    static RcEndpoint readRc(DataInput in) throws IOException {
        return new RcEndpoint(readGid(in), in.readUnsignedShort(), readHalf(in), readHalf(in), in.readUnsignedShort());
    }

    private static RcEndpoint.Half readHalf(DataInput in) throws IOException {
        return new RcEndpoint.Half(in.readInt(), in.readInt());
    }

    static void writeIndexes(DataOutput out, long[] indexes) throws IOException {
        out.writeShort(indexes.length);
        for (long index : indexes) {
            out.writeLong(index);
        }
    }

    /** Reads request indexes, one for each slot of a session. */
    static long[] readIndexes(DataInput in) throws IOException {
        int count = in.readUnsignedShort();
        if (count < 1 || count > RpcConfig.MAX_IN_FLIGHT) {
            throw new IOException("a control message has " + count + " slots of a session: 1 to "
                    + RpcConfig.MAX_IN_FLIGHT + " are allowed");
        }
        long[] indexes = new long[count];
        for (int i = 0; i < count; i++) {
            indexes[i] = in.readLong();
        }
        return indexes;
    }

    static void writeContract(DataOutput out, ServiceContract contract) throws IOException {
        writeText(out, contract.name());
        writeCount(out, contract.methods().size());
        for (ServiceContract.Method method : contract.methods()) {
            out.writeInt(method.id());
            writeText(out, method.signature());
        }
        writeCount(out, contract.types().size());
        for (ServiceContract.Type type : contract.types()) {
            writeText(out, type.name());
            writeText(out, type.shape());
        }
    }

    static ServiceContract readContract(DataInput in) throws IOException {
        String name = readText(in);
        int methodCount = in.readUnsignedShort();
        List<ServiceContract.Method> methods = new ArrayList<>();
        for (int i = 0; i < methodCount; i++) {
            methods.add(new ServiceContract.Method(in.readInt(), readText(in)));
        }
        int typeCount = in.readUnsignedShort();
        List<ServiceContract.Type> types = new ArrayList<>();
        for (int i = 0; i < typeCount; i++) {
            types.add(new ServiceContract.Type(readText(in), readText(in)));
        }
        return new ServiceContract(name, methods, types);
    }

    static void writeCount(DataOutput out, int count) throws IOException {
        if (count > 0xFFFF) {
            throw new IllegalArgumentException(
                    "a contract of " + count + " methods or types: the maximum is 65535. Split the service");
        }
        out.writeShort(count);
    }
}
