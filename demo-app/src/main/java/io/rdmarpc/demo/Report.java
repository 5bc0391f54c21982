package io.rdmarpc.demo;

/** A customer's year as comma-separated text. */
@SuppressWarnings("ArrayRecordComponent")
public record Report(String customer, int year, byte[] csv) {}
