package io.rdmarpc.integration.monitoring;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

class WorkBean implements Work {

    @Override
    public void run(long millis, byte[] data) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public CompletableFuture<Void> later(long millis) {
        return CompletableFuture.runAsync(() -> {}, CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS));
    }

    @Override
    public void block(long millis) {
        run(millis, new byte[0]);
    }
}
