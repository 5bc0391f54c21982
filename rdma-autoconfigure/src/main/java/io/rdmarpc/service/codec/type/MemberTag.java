package io.rdmarpc.service.codec.type;

import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import java.lang.reflect.Array;
import org.jspecify.annotations.Nullable;

/**
 * Identifies a member in messages of versions that may differ.
 *
 * @param number hash of the name, shifted by two bits that encode how to skip the member
 */
public record MemberTag(int number) {

    public static final int SKIP_MASK = 3;
    public static final int VARIABLE = 0;
    public static final int FOUR = 1;
    public static final int EIGHT = 2;
    public static final int SIZED = 3;

    /** With the two bits below, a tag takes up to three bytes. */
    private static final int HASH_MASK = (1 << 19) - 1;

    public int skip() {
        return number & SKIP_MASK;
    }

    public static MemberTag[] of(Members members) {
        MemberTag[] tags = new MemberTag[members.count()];
        for (int i = 0; i < tags.length; i++) {
            tags[i] = new MemberTag(((NameHash.of(members.name(i)) & HASH_MASK) << 2) | skipOf(members.type(i)));
            for (int other = 0; other < i; other++) {
                if (tags[other].number >>> 2 == tags[i].number >>> 2) {
                    throw new RdmaInvalidServiceException(
                            members.name(other) + " and " + members.name(i) + " of "
                                    + members.type().getName() + " have the same number in messages, which is a hash of"
                                    + " their names",
                            "Rename one of the two");
                }
            }
        }
        return tags;
    }

    private static int skipOf(Class<?> type) {
        if (type == float.class) {
            return FOUR;
        }
        if (type == double.class) {
            return EIGHT;
        }
        return type == int.class || type == long.class ? VARIABLE : SIZED;
    }

    /** Returns the index of the member with a number, which is usually the expected one; -1 if there is none. */
    public static int find(MemberTag[] tags, int number, int expected) {
        if (expected < tags.length && tags[expected].number == number) {
            return expected;
        }
        for (int i = 0; i < tags.length; i++) {
            if (tags[i].number == number) {
                return i;
            }
        }
        return -1;
    }

    /** Returns the value of a member that the other side did not send. */
    public static @Nullable Object absent(Class<?> type) {
        return type.isPrimitive() ? Array.get(Array.newInstance(type, 1), 0) : null;
    }
}
