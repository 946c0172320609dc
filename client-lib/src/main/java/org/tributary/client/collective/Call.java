package org.tributary.client.collective;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.tributary.wire.shm.CallLayout;
import org.tributary.wire.shm.Purpose;
import org.tributary.wire.status.CallDescription;

/**
 * The call of one member: the collective with its arguments, and its number. Members whose calls differ have different
 * {@linkplain #key() keys}. Every flag contains the key, so no member takes data of another call for its own. Each
 * member keeps a description of its call in its inbox ({@link CallLayout}); others read it when they have waited long.
 *
 * <p>Mutable, to be set anew for each call instead of allocated; one thread.
 */
final class Call {
    private static final int MAX_TEXT = CallLayout.BYTES - (int) CallLayout.TEXT_OFFSET;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final byte[] NO_TEXT = new byte[0];

    private final MemorySegment memory;
    private long number;
    private long key;
    private long what;
    private long bytes;
    private int purpose;
    private long subject;
    private long ofPurpose;
    private long closings;

    /** A call described in {@link CallLayout#BYTES} bytes of memory. */
    Call(MemorySegment memory) {
        this.memory = memory;
    }

    /** From now on collectives are steps of that; {@link #itself} ends it. */
    void during(Purpose of, long about, String text) {
        byte[] utf8 = text.isEmpty() ? NO_TEXT : text.getBytes(StandardCharsets.UTF_8);
        purpose = of.ordinal();
        ofPurpose = about;
        for (byte each : utf8) {
            ofPurpose = CallDescription.mix(ofPurpose + each); // all of the text, of which others see the beginning
        }
        int length = Math.min(utf8.length, MAX_TEXT);
        MemorySegment.copy(utf8, 0, memory, ValueLayout.JAVA_BYTE, CallLayout.TEXT_OFFSET, length);
        memory.set(INT, CallLayout.LENGTH_OFFSET, length);
    }

    /**
     * From now on collectives are what they are. The text stays until the next one begins: others may be about to name
     * the call that has just failed here.
     */
    void itself() {
        purpose = 0;
        ofPurpose = 0;
    }

    /** This member has closed a segment of the group before its next call. */
    void closed(long segment) {
        closings = CallLayout.closings(closings, segment);
    }

    /** Sets the arguments: the root is -1 when there is none, and {@code reduction} null when nothing is combined. */
    void set(int kind, Reduction reduction, int root, long lengthInBytes) {
        int op = reduction == null ? CallLayout.NONE : reduction.op().ordinal();
        int type = reduction == null ? CallLayout.NONE : reduction.type().ordinal();
        what = CallLayout.what(kind, purpose, op, type, root);
        bytes = lengthInBytes;
    }

    /** Gives the call its number and tells the others; a call of several parts has a number for each. */
    void begin(long sequence) {
        number = sequence;
        if (Purpose.hasSegment(purpose)) {
            subject = ofPurpose;
        } else {
            subject = ofPurpose ^ closings;
            closings = 0;
        }
        key = CallDescription.keyOf(what, bytes, subject, sequence);
        if (purpose == 0) {
            memory.set(INT, CallLayout.LENGTH_OFFSET, 0);
        }
        publish();
    }

    /** This member will not complete its call: members that wait for it find that out. */
    void giveUp() {
        what |= CallLayout.GAVE_UP;
        key = CallDescription.keyOf(what, bytes, subject, number);
        publish();
    }

    boolean isGivenUp() {
        return (what & CallLayout.GAVE_UP) != 0;
    }

    /** Plain stores: a reader finds out by the key whether it has seen all of them. */
    private void publish() {
        memory.set(LONG, CallLayout.NUMBER_OFFSET, number);
        memory.set(LONG, CallLayout.KEY_OFFSET, key);
        memory.set(LONG, CallLayout.WHAT_OFFSET, what);
        memory.set(LONG, CallLayout.BYTES_OFFSET, bytes);
        memory.set(LONG, CallLayout.SUBJECT_OFFSET, subject);
    }

    /** Takes over what the memory says; false when it was read while it changed. */
    boolean read() {
        number = memory.get(LONG, CallLayout.NUMBER_OFFSET);
        key = memory.get(LONG, CallLayout.KEY_OFFSET);
        what = memory.get(LONG, CallLayout.WHAT_OFFSET);
        bytes = memory.get(LONG, CallLayout.BYTES_OFFSET);
        subject = memory.get(LONG, CallLayout.SUBJECT_OFFSET);
        return key == CallDescription.keyOf(what, bytes, subject, number);
    }

    long key() {
        return key;
    }

    long number() {
        return number;
    }

    /** Whether two members cannot meet: the other one is in a different call of this number, or gave an earlier up. */
    boolean contradicts(Call other) {
        return number == other.number ? key != other.key
            : other.number < number && other.isGivenUp();
    }

    /** The call with its arguments and its number. */
    String describe() {
        int length = Math.clamp(memory.get(INT, CallLayout.LENGTH_OFFSET), 0, MAX_TEXT);
        String text = new String(memory.asSlice(CallLayout.TEXT_OFFSET, length).toArray(ValueLayout.JAVA_BYTE),
            StandardCharsets.UTF_8);
        return new CallDescription(number, key, what, bytes, subject, text).describe();
    }
}
