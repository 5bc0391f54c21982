package io.rdmarpc.demo;

/** A customer's orders of one year as comma-separated text. */
@SuppressWarnings("ArrayRecordComponent")
public record Report(String customer, int year, byte[] csv) {}
