package io.rdmarpc.service.client;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.message.MessageAllocator;
import io.rdmarpc.service.CallMetadata;
import io.rdmarpc.service.MetadataBlock;

/** Allocates buffers that begin with the metadata of a call. A codec writes after the metadata and does not see it. */
record MetadataAllocator(MessageAllocator allocator, CallMetadata metadata) implements MessageAllocator {

    @Override
    public MessageBuffer allocate(int capacityBytes) {
        int bytes = MetadataBlock.bytesOf(metadata);
        MessageBuffer buffer = allocator.allocate(capacityBytes + bytes);
        MetadataBlock.write(metadata, buffer.metadata(bytes));
        return buffer;
    }

    @Override
    public int maxPacketPayload() {
        return Math.max(0, allocator.maxPacketPayload() - MetadataBlock.bytesOf(metadata));
    }

    @Override
    public int maxMessageBytes() {
        return Math.max(0, allocator.maxMessageBytes() - MetadataBlock.bytesOf(metadata));
    }
}
