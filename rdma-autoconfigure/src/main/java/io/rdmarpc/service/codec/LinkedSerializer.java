package io.rdmarpc.service.codec;

/** A serializer that looks up those of its members once, when all classes are registered. */
interface LinkedSerializer {

    void link(ServiceKryo kryo);
}
