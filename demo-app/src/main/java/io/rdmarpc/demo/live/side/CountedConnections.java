package io.rdmarpc.demo.live.side;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.SchemePortResolver;
import org.apache.hc.client5.http.impl.io.DefaultHttpClientConnectionOperator;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.io.HttpClientConnectionOperator;
import org.apache.hc.client5.http.ssl.TlsSocketStrategy;
import org.apache.hc.core5.http.config.RegistryBuilder;

/** Connections of the HTTP client that count all bytes, headers included, for the comparison with RDMA's packets. */
final class CountedConnections extends PoolingHttpClientConnectionManagerBuilder {

    private final LongAdder bytes;

    CountedConnections(LongAdder bytes) {
        this.bytes = bytes;
    }

    @Override
    protected HttpClientConnectionOperator createConnectionOperator(
            SchemePortResolver ports, DnsResolver names, TlsSocketStrategy tls) {
        return new DefaultHttpClientConnectionOperator(
                _ -> new CountedSocket(bytes),
                ports,
                names,
                RegistryBuilder.<TlsSocketStrategy>create()
                        .register("https", tls)
                        .build());
    }

    /** A socket that counts the bytes sent and received. */
    private static final class CountedSocket extends Socket {

        private final LongAdder bytes;

        CountedSocket(LongAdder bytes) {
            this.bytes = bytes;
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read() throws IOException {
                    int value = super.read();
                    bytes.add(value < 0 ? 0 : 1);
                    return value;
                }

                @Override
                public int read(byte[] target, int offset, int length) throws IOException {
                    int count = super.read(target, offset, length);
                    bytes.add(Math.max(0, count));
                    return count;
                }
            };
        }

        @Override
        public OutputStream getOutputStream() throws IOException {
            return new FilterOutputStream(super.getOutputStream()) {
                @Override
                public void write(int value) throws IOException {
                    out.write(value);
                    bytes.increment();
                }

                @Override
                public void write(byte[] source, int offset, int length) throws IOException {
                    out.write(source, offset, length);
                    bytes.add(length);
                }
            };
        }
    }
}
