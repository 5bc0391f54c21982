package io.rdmarpc.demo.live.side;

import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelDuplexHandler;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandler.Sharable;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelPromise;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.nio.NioEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the bytes of a gRPC channel's connection, HTTP/2 frames included, for the comparison with RDMA's packets. It
 * uses epoll if possible, as gRPC does by default. One event loop suffices, because a channel has one connection.
 */
final class CountedEventLoop implements AutoCloseable {

    private static final long QUIET_SECONDS = 0;
    private static final long END_LIMIT_SECONDS = 5;

    private final LongAdder bytes = new LongAdder();
    private final boolean epoll = Epoll.isAvailable();
    private final EventLoopGroup group = group(new DefaultThreadFactory("demo-grpc", true));
    private final Counter counter = new Counter(bytes);

    @SuppressWarnings("deprecation") // Netty 4.1 has no other groups, and gRPC may use it.
    private EventLoopGroup group(ThreadFactory threads) {
        return epoll ? new EpollEventLoopGroup(1, threads) : new NioEventLoopGroup(1, threads);
    }

    void configure(NettyChannelBuilder builder) {
        builder.eventLoopGroup(group).channelFactory(this::channel);
    }

    private Channel channel() {
        Channel channel = epoll ? new EpollSocketChannel() : new NioSocketChannel();
        channel.pipeline().addFirst(counter);
        return channel;
    }

    long bytes() {
        return bytes.sum();
    }

    @Override
    public void close() {
        var _ = group.shutdownGracefully(QUIET_SECONDS, END_LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    /** The handler next to the socket. */
    @Sharable
    private static final class Counter extends ChannelDuplexHandler {

        private final LongAdder bytes;

        Counter(LongAdder bytes) {
            this.bytes = bytes;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
            count(message);
            super.channelRead(context, message);
        }

        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) throws Exception {
            count(message);
            super.write(context, message, promise);
        }

        private void count(Object message) {
            if (message instanceof ByteBuf buffer) {
                bytes.add(buffer.readableBytes());
            }
        }
    }
}
