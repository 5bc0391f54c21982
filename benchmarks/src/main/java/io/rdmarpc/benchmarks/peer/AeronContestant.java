package io.rdmarpc.benchmarks.peer;

import io.rdmarpc.benchmarks.load.CallMode;
import io.rdmarpc.benchmarks.load.Callers;
import io.rdmarpc.benchmarks.load.Contestant;
import io.rdmarpc.benchmarks.load.Payload;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;

/**
 * Aeron with its Java media driver, with exactly one busy thread in each process: the polling thread invokes drivers
 * and conductors. With IPC the server's process has the only driver; with UDP each process has its own.
 *
 * @param media medium that carries the messages
 * @param codec serializers of orders
 */
record AeronContestant(AeronMedia media, OrderCodec codec) implements Contestant {

    @Override
    public CallMode mode(Payload payload, Callers callers) {
        return new CallMode(
                payload.isOrder() ? "typed, Kryo with " + codec.text() + " serializers" : "byte[]",
                "inline on the polling thread",
                "a busy thread on each side, at the client the caller");
    }

    @Override
    public Server serve() throws IOException {
        Path directory = AeronNode.newDirectory();
        String requests = media.channel(freePort());
        String responses = media.channel(freePort());
        AeronNode node = AeronNode.withDriver(media, directory);
        AeronEchoes echoes = new AeronEchoes(node, codec, requests, responses);
        Thread thread = Thread.ofPlatform().name("aeron-server").start(echoes);
        return new Server() {
            @Override
            public String address() {
                return directory + ";" + requests + ";" + responses;
            }

            @Override
            public void close() {
                echoes.stop();
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };
    }

    private static int freePort() throws IOException {
        try (DatagramSocket socket = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            return socket.getLocalPort();
        }
    }

    @Override
    public Client connect(String address) throws IOException {
        String[] parts = address.split(";", -1);
        AeronNode node = media == AeronMedia.IPC
                ? AeronNode.withoutDriver(Path.of(parts[0]))
                : AeronNode.withDriver(media, AeronNode.newDirectory());
        return new AeronClient(node, codec, parts[1], parts[2]);
    }
}
