package io.rdmarpc.service.codec.kryo.value;

/** A serializer that looks up those of its members once, when all classes are registered. */
public interface LinkedSerializer {

    void link(ServiceKryo kryo);
}
