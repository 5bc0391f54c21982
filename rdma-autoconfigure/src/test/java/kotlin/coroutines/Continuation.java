package kotlin.coroutines;

/** Kotlin's in name only: what the compiler of Kotlin makes of an interface is tried without its library. */
public interface Continuation<T> {}
