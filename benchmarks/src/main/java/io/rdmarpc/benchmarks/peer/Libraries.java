package io.rdmarpc.benchmarks.peer;

import com.esotericsoftware.kryo.Kryo;
import com.google.protobuf.Message;
import io.aeron.Aeron;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.epoll.EpollSocketChannel;
import io.rsocket.RSocket;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.List;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.agrona.concurrent.UnsafeBuffer;
import org.apache.catalina.startup.Tomcat;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.springframework.boot.SpringApplication;
import org.springframework.web.client.RestClient;

/** Returns the versions of the peers' libraries. */
public final class Libraries {

    /** One class of each library. */
    private static final List<Class<?>> USED = List.of(
            NettyServerBuilder.class,
            Message.class,
            EpollSocketChannel.class,
            Aeron.class,
            UnsafeBuffer.class,
            Kryo.class,
            RSocket.class,
            SpringApplication.class,
            RestClient.class,
            Tomcat.class,
            HttpClients.class,
            Histogram.class);

    private static final String JAR = ".jar";

    private Libraries() {}

    /**
     * Returns the library versions.
     *
     * @return names of the libraries' jars, which contain the versions
     */
    public static String text() {
        return USED.stream().map(Libraries::jar).collect(Collectors.joining(", "));
    }

    private static String jar(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        if (source == null) {
            return type.getPackageName();
        }
        String file = String.valueOf(Path.of(source.getLocation().getPath()).getFileName());
        return file.endsWith(JAR) ? file.substring(0, file.length() - JAR.length()) : file;
    }
}
