package io.rdmarpc.service.codec.kryo.value;

/** A serializer that looks up the serializers of its members once, after all classes are registered. */
public interface LinkedSerializer {

    void link(ServiceKryo kryo);
}
